# SPDX-License-Identifier: MIT
"""Measures programs in the language beside baselines, and prints ratios of one run. README.md says how."""
