"""The tests, by parts of gamed."""

import sys

if {"pytest", "twisted.trial"} & sys.modules.keys():
    from hypothesis import HealthCheck, settings

    # How long examples take, and how long they take to make, is a matter of the machine. Programs of these packages
    # that run in processes of their own do without.
    settings.register_profile("patient", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("patient")
