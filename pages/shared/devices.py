"""Which real devices are small caches for which head dimensions, and what that costs in words.

One word is one matrix entry, so M = usable bytes / bytes of a word. A pair of device and head dimension is small-cache
when M < d^2, strictly. Words are closed forms of `kernels_ref`; seconds are estimates and say so.
"""

import csv
import io
from dataclasses import dataclass, replace
from functools import lru_cache

import streamlit as st

from kernels_ref import ALGORITHMS, Counts, count
from pages.shared import device_data as data
from pages.shared.device_data import LEVELS, OWN, Device, Model
from pages.shared.fault import callback
from pages.shared.fields import Problem
from pages.shared.said import parts
from pages.shared.settings import ALL_LEVELS, DEVICES, WORD_BYTES, DeviceSettings
from pages.shared.url_state import Address, sync, typed_in, update

# Rows of Q and K for a model whose source names none; the page says that they are assumed.
ASSUMED_N = 1024
# Which types of peak say something about a dtype.
_PEAK_OF = {"float32": ("FP32",), "float16": ("FP16", "BF16")}


def own_device(settings: DeviceSettings) -> Device | None:
    """The reader's device; None where no bytes are given."""
    if not settings.bytes:
        return None
    bandwidth, peak = settings.bandwidth or None, settings.peak or None
    return Device(OWN, settings.name, OWN, settings.bytes, bandwidth, peak, "", "", "", OWN)


def own_model(settings: DeviceSettings) -> Model | None:
    """The reader's model, one head of it; None where no head dimension is given."""
    return Model(OWN, "", "", settings.d, settings.d, None, settings.n, evidence=OWN) if settings.d else None


def devices(settings: DeviceSettings) -> tuple[Device, ...]:
    """Every device that can be chosen, the reader's own first."""
    own = own_device(settings)
    return (*([own] if own else []), *data.DEVICES)


def models(settings: DeviceSettings) -> tuple[Model, ...]:
    """Every model that can be chosen, the reader's own first."""
    own = own_model(settings)
    return (*([own] if own else []), *data.MODELS)


def words_of(device: Device, settings: DeviceSettings) -> int:
    """M: whole words in the usable share of a device's fast memory."""
    return device.bytes * settings.share // 100 // WORD_BYTES[settings.dtype]


def small(words: int, d: int) -> bool:
    """Whether M = `words` is a small cache for head dimension `d`: M < d^2. At M = d^2 it is not.

    >>> small(116224, 512), small(65536, 256)
    (True, False)
    """
    return words < d * d


def fits(words: int, model: Model) -> bool:
    """Whether FlashAttention-2's backward pass can run at all in so many words."""
    return words >= ALGORITHMS["flash2"].least_memory(model.d_qk, model.d_v)


def shown_devices(settings: DeviceSettings) -> tuple[Device, ...]:
    """The devices of the chosen level, the reader's own among them, from the smallest memory up."""
    shown = [one for one in devices(settings) if settings.tier in (ALL_LEVELS, one.level) or one.id == OWN]
    return tuple(sorted(shown, key=lambda one: (one.bytes, one.name.lower())))


@dataclass(frozen=True)
class Pair:
    """A device beside a model: M in words, whether M < d^2, whether FlashAttention-2 fits."""

    device: Device
    model: Model
    words: int

    @property
    def small(self) -> bool:
        return small(self.words, self.model.d)

    @property
    def fits(self) -> bool:
        return fits(self.words, self.model)

    @property
    def squares(self) -> float:
        """M as a multiple of d^2."""
        return self.words / self.model.d**2


@lru_cache(maxsize=16)  # asked for several times in a run; an entry is some thousand pairs, under a megabyte
def pairs(settings: DeviceSettings) -> tuple[Pair, ...]:
    """Every shown device beside every model."""
    every = models(settings)
    return tuple(
        Pair(device, model, words)
        for device in shown_devices(settings)
        for words in (words_of(device, settings),)
        for model in every
    )


def chosen(settings: DeviceSettings) -> Pair:
    """The pair that the reader looks at."""
    device = next(one for one in devices(settings) if one.id == settings.device)
    model = next(one for one in models(settings) if one.id == settings.model)
    return Pair(device, model, words_of(device, settings))


def truly_small(settings: DeviceSettings) -> list[tuple[Model, list[Pair]]]:
    """The models that meet a small cache on some shown device, widest heads first, with those pairs."""
    found: dict[Model, list[Pair]] = {}
    for pair in pairs(settings):
        if pair.small:
            found.setdefault(pair.model, []).append(pair)
    return sorted(found.items(), key=lambda item: (-item[0].d, item[0].inference, item[0].title))


# What it would change in words


@dataclass(frozen=True)
class Cost:
    """One kernel on the chosen pair. `words` of one head; `seconds`: all heads, at the bandwidth (an estimate)."""

    algorithm: str
    role: str  # "flash2", "small-cache", "best", "lean"
    counts: Counts
    times: float | None
    bytes: int | None
    seconds: float | None
    computing: float | None


def rows_of(model: Model) -> int:
    """n: the model's own, else `ASSUMED_N`."""
    return model.n or ASSUMED_N


@lru_cache(maxsize=256)
def _counts(model_d: int, d_v: int, n: int, words: int) -> dict[str, Counts]:
    names = [name for name, entry in ALGORITHMS.items() if "qkv" in entry.forms]
    return {name: count(name, n=n, d=model_d, d_v=d_v, memory=max(words, 1), form="qkv") for name in names}


def costs(pair: Pair, dtype: str) -> list[Cost]:
    """FlashAttention-2, Algorithm 6, the kernel that moves the fewest words here, and the best without an n x n matrix.

    The last two are left out where they are one of those before. Kernels that do not fit have no words.
    """
    model, device = pair.model, pair.device
    every = _counts(model.d_qk, model.d_v, rows_of(model), pair.words)
    running = {name: one for name, one in every.items() if one.io is not None}
    roles = {"flash2": "flash2", "small-cache": "small-cache"}
    if running:
        roles.setdefault(min(running, key=lambda name: running[name].io or 0), "best")
    lean = {name: one for name, one in running.items() if not one.peak_slow}
    if lean:
        roles.setdefault(min(lean, key=lambda name: lean[name].io or 0), "lean")
    least = min((one.io or 0 for one in running.values()), default=0)
    heads = model.heads or 1
    listed = []
    for name, role in roles.items():
        counts = every[name]
        words = counts.io if name in running else None
        moved = None if words is None else words * heads * WORD_BYTES[dtype]
        seconds = moved / (device.bandwidth * 1e9) if moved is not None and device.bandwidth else None
        computing = None
        if counts.multiplications is not None and _peak(device, dtype):
            computing = 2 * counts.multiplications * heads / (_peak(device, dtype) * 1e12)
        listed.append(Cost(name, role, counts, words / least if words else None, moved, seconds, computing))
    return listed


def _peak(device: Device, dtype: str) -> float:
    """TFLOP/s that mean something for this dtype; 0 where none are known. A reader's own number is taken as it is."""
    if device.id == OWN or any(kind in device.peak_type for kind in _PEAK_OF.get(dtype, ())):
        return device.peak or 0.0
    return 0.0


# The table as a file


def table(settings: DeviceSettings) -> str:
    """Every pair as CSV, exact numbers, sources included."""
    rows = [_record(pair, settings) for pair in pairs(settings)]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _record(pair: Pair, settings: DeviceSettings) -> dict[str, object]:
    device, model = pair.device, pair.model
    return {
        "device": _cell(device.name) or OWN,
        "level": device.level,
        "fast_bytes": device.bytes,
        "dtype": settings.dtype,
        "usable_percent": settings.share,
        "memory_words": pair.words,
        "model": model.name or OWN,
        "part": model.part,
        "d_qk": model.d_qk,
        "d_v": model.d_v,
        "memory_over_d_squared": f"{pair.squares:.6g}",
        "small_cache": "yes" if pair.small else "no",
        "flash2_fits": "yes" if pair.fits else "no",
        "device_source": device.source,
        "device_evidence": device.evidence,
        "model_source": model.source,
        "model_evidence": model.evidence,
    }


def _cell(name: str) -> str:
    """A reader's name; a spreadsheet must not take it for a formula."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@") else name


# What the reader does


def current() -> DeviceSettings:
    """The settings that this reader's page shows now, for callbacks."""
    kept: DeviceSettings | None = st.session_state.get(f"_settings.{DEVICES.page}")
    return kept or DeviceSettings()


def address_of_now() -> Address:
    """The address; a pair that names an own device or model that is not there falls back, and the page says so."""
    address = sync(DEVICES)
    settings, defaults = address.settings, DeviceSettings()
    if settings.device == OWN and own_device(settings) is None:
        used = next(one.name for one in data.DEVICES if one.id == defaults.device)
        address.correct(Problem("own_device", "device", OWN, used), device=defaults.device)
    if settings.model == OWN and own_model(settings) is None:
        used = next(one.title for one in data.MODELS if one.id == defaults.model)
        address.correct(Problem("own_model", "model", OWN, used), model=defaults.model)
    return address


@callback
def take(field: str) -> None:
    """Something of the reader's own, as it was typed. Bytes choose the own device, a head dimension the own model."""
    typed = typed_in(f"devices.{field}_typed")
    values: dict[str, object] = {field: typed or DEVICES.named(field).write(getattr(DeviceSettings(), field))}
    kept = current()
    parsed = DEVICES.named(field).check(values[field])
    if not isinstance(parsed, Problem):
        after = replace(kept, **{field: parsed})
        if field == "bytes":
            values["device"] = OWN if after.bytes else kept.device if kept.device != OWN else DeviceSettings().device
        if field == "d":
            values["model"] = OWN if after.d else kept.model if kept.model != OWN else DeviceSettings().model
    update(DEVICES, **values)


@callback
def meet(field: str) -> None:
    """Another level shows other devices, and another device may be of another level: the other one of the two follows.

    Of a new level the device with the highest bandwidth is looked at, since its times are known.
    """
    state = st.session_state
    level, device = str(state.get("devices.tier")), str(state.get("devices.device"))
    levels = {one.id: one.level for one in data.DEVICES}
    if level not in LEVELS or levels.get(device, level) == level:  # all of them, or the reader's own device
        return
    if field == "device":
        state["devices.tier"] = levels[device]
    elif levels[DeviceSettings().device] == level:
        state["devices.device"] = DeviceSettings().device
    else:
        here = [one for one in data.DEVICES if one.level == level]
        state["devices.device"] = max(here, key=lambda one: one.bandwidth or 0).id


@callback
def adopt_pair(key: str) -> None:
    """A mark on the map or a row of the table was chosen."""
    wish = parts(key, "pair")
    if wish:
        update(DEVICES, device=wish.get("device"), model=wish.get("model"))
