# SPDX-License-Identifier: MIT
"""Choices at random, for what draws programs."""


class Dice:
    """What draws by one generator of random numbers, `rng`, which whoever inherits sets."""

    def pick(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share):
        return self.rng.random() < share

    def weighted(self, table):
        """One item of [(…, weight)] drawn by weight, without the weight."""
        weights = [entry[-1] for entry in table]
        at = self.rng.random() * sum(weights)
        for entry, weight in zip(table, weights):
            at -= weight
            if at < 0:
                return entry[:-1]
        return table[-1][:-1]
