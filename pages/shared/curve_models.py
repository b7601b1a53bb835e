"""Presets of the curves out of `device_data`: models of one width, and devices whose bandwidth and peak are known."""

from pages.shared.device_data import DEVICES, MODELS, Device, Model, short

# One width for Q, K and V, n and heads known: what this page can draw.
PRESETS = {model.id: model for model in MODELS if model.d_qk == model.d_v and model.n and model.heads}
RIDGED = {device.id: device for device in DEVICES if device.bandwidth and device.peak}


def ridge(device: Device) -> float:
    """Flop a byte from which on arithmetic, not bandwidth, is the limit. Both must be known."""
    assert device.peak
    assert device.bandwidth
    return device.peak * 1e12 / (device.bandwidth * 1e9)


def title(model: Model) -> str:
    """Its name, and which of its attentions where it has another kind than the usual one."""
    return short(model.name if model.part == "self-attention" else model.title)
