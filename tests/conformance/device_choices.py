# SPDX-License-Identifier: MIT
"""Whether a program says what became of the device versions that its configuration chooses."""

EIGHTHS_OF_UNSHARED_STEPS = 4       # from this `device_eighths` on, steps that cannot be shared run on the device


def wholly_on_devices(configuration):
    """The sites, as `ran` of a reply names them, whose steps run on a device at every size, unless something keeps them from it."""
    for transform, of in configuration["transforms"].items():
        if of.get("tunables", {}).get("device_eighths", 8) < EIGHTHS_OF_UNSHARED_STEPS:
            continue
        for site, levels in of.get("sites", {}).items():
            if levels and all(level["on"] != "cpu" for level in levels):
                yield f"{transform}.{site}"


def on_cpu_in_silence(configuration, reply):
    """Sites that choose devices alone and ran on the CPU alone, though the reply to `run` names no fallback and no cut-off there."""
    explained = {each["site"] for each in (reply.get("fallbacks") or []) + (reply.get("below_cutoff") or [])}
    for site in wholly_on_devices(configuration):
        ran = reply.get("ran", {}).get(site, [])
        places = {each["on"] for each in (ran if isinstance(ran, list) else [ran])}
        if places == {"cpu"} and site not in explained:
            yield site
