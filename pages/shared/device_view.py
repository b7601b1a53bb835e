"""The Devices page in words and pictures: what its two components draw, and what is said about one pair."""

import json
import re
from functools import lru_cache
from typing import Any

import streamlit as st

from kernels_ref import ALGORITHMS
from pages.shared.device_data import OWN, Device, Model, short
from pages.shared.devices import (
    ASSUMED_N,
    Cost,
    Pair,
    adopt_pair,
    chosen,
    meet,
    models,
    pairs,
    rows_of,
    shown_devices,
    take,
    truly_small,
    words_of,
)
from pages.shared.i18n import Texts, escaped
from pages.shared.numbers import NARROW_NO_BREAK_SPACE as THIN
from pages.shared.numbers import grouped, rounded, times_n_squared
from pages.shared.settings import DEVICES, WORD_BYTES, DeviceSettings
from pages.shared.theme import source
from pages.shared.url_state import Address, show

MAP, TABLE = "devices_map", "devices_table"
_FILE = re.compile(r"^([\w.-]+/[\w.-]+) (\S+) @([0-9a-f]{8})\b")
_SITE = re.compile(r"^((?:[\w-]+\.)+(?:com|org|io|net))((?:/[^\s,;:()']+)*)")
_REPORTS = "measured in public reports"  # how the data begin a source that no page of a vendor backs


_map = st.components.v2.component(
    "devices_map",
    html=source("devices/map.html"),
    css=source("devices/devices.css"),
    js=source("devices/common.js", "devices/map.js"),
    isolate_styles=False,
)
_table = st.components.v2.component(
    "devices_table",
    html=source("devices/table.html"),
    js=source("devices/common.js", "devices/table.js"),
    isolate_styles=False,
)


# Names


def device_name(device: Device, t: Texts) -> str:
    return (device.name or t("devices.own.device")) if device.id == OWN else device.name


def model_name(model: Model, t: Texts) -> str:
    return t("devices.own.model", d=model.d) if model.id == OWN else model.title


def short_name(device: Device, t: Texts) -> str:
    return device_name(device, t) if device.id == OWN else short(device.name)


def short_title(model: Model, t: Texts) -> str:
    return model_name(model, t) if model.id == OWN else short(model.title)


def cite(source: str, evidence: str = "firm") -> tuple[str, str | None]:
    """A source's short text, and its address where the source names one. Weak sources get no link.

    >>> cite("owner/repo src/file.py @008e5743, 768/12")
    ('owner/repo', 'https://github.com/owner/repo/blob/008e5743/src/file.py')
    >>> cite("developer.apple.com/metal/limits/ : 16 KB")
    ('developer.apple.com', 'https://developer.apple.com/metal/limits/')
    """
    if source.startswith(_REPORTS):
        return _REPORTS, None
    text, address = re.split(r"[,;:(]| \w+\.html", source)[0].strip()[:48], None
    if file := _FILE.match(source):
        text, path, commit = file.groups()
        exact = "/" in path and "fork commit" not in source
        address = f"https://github.com/{text}" + (f"/blob/{commit}/{path}" if exact else "")
    elif site := _SITE.match(source):
        text, address = site[1], f"https://{site[1]}{site[2]}"
    return text, None if evidence == "weak" else address


def evidence(one: Device | Model, t: Texts) -> str:
    """In words what is weak about a source; empty where it is firm."""
    return "" if one.evidence in ("firm", OWN) else t(f"devices.evidence.{one.evidence}")


# The map and the table


@lru_cache(maxsize=64)
def map_state(settings: DeviceSettings, lang: str) -> str:
    """What the map draws, as JSON: rows by M, one column a head dimension."""
    t, pair = Texts(lang), chosen(settings)
    scope = {"dtype": f"devices.dtype.{settings.dtype}", "level": f"devices.level.{settings.tier}"}
    rows = {*shown_devices(settings), pair.device}  # a link may name a device of another level
    columns: dict[int, list[Model]] = {}
    for model in sorted(models(settings), key=lambda one: (one.id != pair.model.id, one.inference)):
        columns.setdefault(model.d, []).append(model)
    state = {
        "rows": [
            {
                "id": device.id,
                "name": short_name(device, t),
                "m": words_of(device, settings),
                "weak": device.evidence not in ("firm", OWN),
            }
            for device in sorted(rows, key=lambda one: (one.bytes, one.name.lower()))
        ],
        "columns": [
            {
                "d": d,
                "model": found[0].id,
                "least": ALGORITHMS["flash2"].least_memory(found[0].d_qk, found[0].d_v),
                "names": "; ".join(short_title(model, t) for model in found),
            }
            for d, found in sorted(columns.items())
        ],
        "chosen": {"device": pair.device.id, "d": pair.model.d},
        "words": t.group("devices.map")
        | {"scope": t("devices.map.scope", share=settings.share, **{name: t(key) for name, key in scope.items()})},
    }
    return json.dumps(state, ensure_ascii=False)


@lru_cache(maxsize=64)
def table_state(settings: DeviceSettings, lang: str) -> str:
    """What the table draws, as JSON: devices and models apart, since the browser pairs them."""
    t = Texts(lang)

    def told(one: Device | Model) -> dict[str, Any]:
        text, address = cite(one.source, one.evidence)
        source = t("devices.source.reports") if text == _REPORTS else text  # the others are names: the same everywhere
        return {"id": one.id, "source": (source, address), "evidence": evidence(one, t)}

    state = {
        "devices": [
            told(one)
            | {"name": device_name(one, t), "m": words_of(one, settings)}
            | {"level": "" if one.level == settings.tier else level(one, t)}
            for one in shown_devices(settings)
        ],
        "models": [
            told(one)
            | {"title": model_name(one, t), "d": one.d, "d_qk": one.d_qk, "d_v": one.d_v}
            | {"least": ALGORITHMS["flash2"].least_memory(one.d_qk, one.d_v)}
            for one in sorted(models(settings), key=lambda one: -one.d)
        ],
        "words": t.group("devices.table"),
    }
    return json.dumps(state, ensure_ascii=False)


def draw_map(settings: DeviceSettings, t: Texts) -> None:
    """The map. Choosing a mark chooses its pair."""
    state = map_state(settings, t.lang)
    _map(key=MAP, data={"state": state}, default={"pair": None}, on_pair_change=lambda: adopt_pair(MAP))


def draw_table(settings: DeviceSettings, t: Texts) -> None:
    """The table of all pairs."""
    state = table_state(settings, t.lang)
    _table(key=TABLE, data={"state": state}, default={"pair": None}, on_pair_change=lambda: adopt_pair(TABLE))


# Sentences


def level(device: Device, t: Texts) -> str:
    return t("devices.level.own") if device.id == OWN else t(f"devices.level.{device.level}")


def lead(settings: DeviceSettings, t: Texts) -> str:
    """How many of the shown pairs are small-cache."""
    every = pairs(settings)
    found = sum(pair.small for pair in every)
    return t("devices.found", found=grouped(found), every=grouped(len(every)), dtype=t(f"devices.in.{settings.dtype}"))


def headline(pair: Pair, settings: DeviceSettings, t: Texts) -> str:
    """Which side of d^2, with the numbers it follows from."""
    d = pair.model.d
    values = {
        "bytes": size(pair.device.bytes),
        "share": settings.share,
        "word": WORD_BYTES[settings.dtype],
        "m": grouped(pair.words),
        "d": d,
        "squared": grouped(d * d),
        "times": rounded(pair.squares) if pair.words else "0",
    }
    sentences = [
        t("devices.pair.small" if pair.small else "devices.pair.large", **values),
        t("devices.pair.words" if settings.share == 100 else "devices.pair.words_share", **values),
    ]
    if pair.model.d_qk != pair.model.d_v:
        sentences.append(t("devices.pair.widths", qk=pair.model.d_qk, v=pair.model.d_v))
    return " ".join(sentences)


def cost_table(pair: Pair, listed: list[Cost], t: Texts) -> str:
    """The kernels on this pair, as a Markdown table."""
    timed = any(cost.seconds is not None for cost in listed)
    heads = [t("devices.cost.kernel"), t("devices.cost.words"), t("devices.cost.times"), t("devices.cost.bytes")]
    heads += [t("devices.cost.seconds")] if timed else []
    lines = ["| " + " | ".join(heads) + " |", "|:--|" + "--:|" * (len(heads) - 1)]
    for cost in listed:
        name = escaped(t(f"algorithm.{cost.algorithm}").replace("-", "\u2011"))
        if cost.role in ("best", "lean"):
            name += f" *({t(f'devices.cost.{cost.role}')})*"
        if cost.counts.io is None or cost.times is None or cost.bytes is None:
            cells = [t("devices.cost.unfit", least=grouped(cost.counts.least_memory))] + ["\u2013"] * (len(heads) - 2)
        else:
            cells = [times_n_squared(cost.counts.io, rows_of(pair.model)), rounded(cost.times), size(cost.bytes, 1000)]
            cells += [seconds(cost.seconds)] if timed and cost.seconds is not None else []
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def caption(pair: Pair, t: Texts) -> str:
    """What the columns of the cost table are."""
    key = "devices.cost.caption" if pair.device.bandwidth else "devices.cost.caption_untimed"
    return t(key, heads=pair.model.heads or 1, bandwidth=rounded(pair.device.bandwidth or 0, 4))


def verdict(pair: Pair, listed: list[Cost], settings: DeviceSettings, t: Texts) -> list[str]:
    """What the table means: FlashAttention-2 against the best here, slow memory, what limits, what was assumed."""
    model, n = pair.model, rows_of(pair.model)
    flash, best = listed[0], next((cost for cost in listed if cost.times == 1), None)
    if best is None:
        return [t("devices.verdict.nothing")]
    name = t(f"algorithm.{best.algorithm}")
    words = []
    if flash.times is None:
        words.append(t("devices.verdict.unfit", least=grouped(flash.counts.least_memory), name=escaped(name)))
    elif best is flash:
        words.append(t("devices.verdict.flash_best"))
    else:
        other = listed[1]
        against = rounded(max(flash.times / other.times, other.times / flash.times)) if other.times else ""
        less = other.times is not None and other.times < flash.times
        words.append(t("devices.verdict.six_less" if less else "devices.verdict.flash_less", times=against))
        words.append(t("devices.verdict.best", times=rounded(flash.times), name=escaped(name)))
    if best.counts.peak_slow:
        extra = size(best.counts.peak_slow * (model.heads or 1) * WORD_BYTES[settings.dtype], 1000)
        words.append(t("devices.verdict.slow", name=escaped(name), extra=extra))
    if best.seconds is not None and best.computing is not None:
        key = "devices.verdict.moving" if best.seconds > best.computing else "devices.verdict.computing"
        peak = rounded(pair.device.peak or 0)
        words.append(t(key, seconds=seconds(best.computing), peak=peak, kind=pair.device.peak_type or "TFLOP/s"))
    words.append(_problem_size(model, n, t))
    if pair.device.bandwidth is None:
        words.append(t("devices.verdict.no_bandwidth"))
    else:
        words.append(t("devices.verdict.bandwidth", bandwidth=rounded(pair.device.bandwidth, 4)))
    if model.inference:
        words.append(t("devices.verdict.inference"))
    return words


def _problem_size(model: Model, n: int, t: Texts) -> str:
    heads = model.heads or 1
    key = "devices.verdict.size" if model.n else "devices.verdict.size_assumed"
    assert model.n or n == ASSUMED_N
    return t(key, n=grouped(n)) + " " + t("devices.verdict.heads" if heads > 1 else "devices.verdict.head", heads=heads)


def exact_words(listed: list[Cost], t: Texts) -> str:
    """The same closed forms in full, one line a kernel."""
    lines = [
        f"- {escaped(t(f'algorithm.{cost.algorithm}'))}: {t('devices.exact', words=grouped(cost.counts.io))}"
        for cost in listed
        if cost.counts.io is not None
    ]
    return "\n".join(lines)


def sources(pair: Pair, t: Texts) -> str:
    """Both sources in full, what is weak about them in words, and their notes."""
    lines = []
    named = ((device_name(pair.device, t), pair.device), (model_name(pair.model, t), pair.model))
    for name, one in named:
        if one.id == OWN:
            continue
        weak = evidence(one, t)
        lines.append(f"- **{escaped(name)}.** {escaped(one.source)}" + (f" **({weak})**" if weak else ""))
        if one.note:
            lines.append(f"\n  {t('devices.note')} {escaped(one.note)}")
    return "\n".join(lines)


def small_list(settings: DeviceSettings, t: Texts) -> str:
    """The truly small-cache pairs, a line a head dimension, as a Markdown table; a sentence where there are none."""
    found = truly_small(settings)
    if not found:
        return t("devices.list.none")
    shown = shown_devices(settings)
    lines = [
        f"| *d* | {t('devices.list.least')} | {t('devices.list.devices')} | {t('devices.list.models')} |",
        "|--:|--:|:--|:--|",
    ]
    for d in sorted({model.d for model, _ in found}, reverse=True):
        here = [(model, small) for model, small in found if model.d == d]
        devices = [pair.device for pair in here[0][1]]
        names = ", ".join(escaped(short_name(one, t)) for one in reversed(devices[-2:]))
        if len(devices) == len(shown):
            words = t("devices.list.all", count=len(devices), names=names)
        elif len(devices) <= 2:
            words = names
        else:
            words = t("devices.list.some", count=len(devices), every=len(shown), names=names)
        models_here = "; ".join(
            escaped(short_title(model, t)) + (f" *({t('devices.list.inference')})*" if model.inference else "")
            for model, _ in here
        )
        least = size(d * d * WORD_BYTES[settings.dtype])
        lines.append(f"| {d} | {least} | {words} | {models_here} |")
    return "\n".join(lines)


def size(count: int, base: int = 1024) -> str:
    """Bytes in a unit that leaves a short number: KiB and MiB for memories, kB to PB for what is moved.

    >>> size(232448).replace(THIN, " "), size(1_500_000, 1000).replace(THIN, " ")
    ('227 KiB', '1.5 MB')
    """
    units = ("B", "KiB", "MiB", "GiB", "TiB") if base == 1024 else ("B", "kB", "MB", "GB", "TB", "PB", "EB")
    value, unit = float(count), 0
    while value >= base and unit + 1 < len(units):
        value, unit = value / base, unit + 1
    return f"{rounded(value, 4 if base == 1024 else 3)}{THIN}{units[unit]}"


def seconds(value: float) -> str:
    """A time of which two digits mean something.

    >>> seconds(3.005).replace(THIN, " "), seconds(0.00042).replace(THIN, " ")
    ('3 s', '0.42 ms')
    """
    if value >= 90:
        return f"{rounded(value / 60, 2)}{THIN}min"
    if value >= 0.1:
        return f"{rounded(value, 2)}{THIN}s"
    if value >= 1e-4:
        return f"{rounded(value * 1e3, 2)}{THIN}ms"
    return f"{rounded(value * 1e6, 2)}{THIN}µs"


def choice(address: Address, t: Texts, field: str, words: dict[str, str], width: int | None = None) -> None:
    """A choice among ids, shown by their `words`."""
    st.selectbox(
        t(f"devices.{field}"),
        list(words),
        key=address.key(field),
        format_func=lambda one: words[one],
        on_change=meet,
        args=(field,),
        width=width or "stretch",
    )


def own_fields(settings: DeviceSettings, t: Texts) -> None:
    """Where the reader types a device and a model of their own."""
    for field in ("name", "bytes", "bandwidth", "peak", "d", "n"):
        value = getattr(settings, field)
        show(f"devices.{field}_typed", DEVICES.named(field).write(value) if value else "")
        st.text_input(t(f"devices.own.{field}"), key=f"devices.{field}_typed", on_change=take, args=(field,))
