"""Tables of vectors on which a search for the nearest row may go wrong."""

from __future__ import annotations

import torch


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def normals(n: int, d: int, seed: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn((n, d), generator=seeded(seed), dtype=dtype)


def near_duplicates(scale: float) -> torch.Tensor:
    """400 rows in 20 groups whose rows differ in their last digits only."""
    rows = normals(20, 30, 1).repeat(20, 1) * scale
    return rows + normals(400, 30, 2) * scale * 1e-7


HARD_TABLES = {
    "random": normals(700, 30, 0),
    "one word": normals(1, 30, 0),
    "one dimension": normals(500, 1, 0),
    "near duplicates": near_duplicates(1.0),
    "duplicates": normals(30, 12, 0).repeat(20, 1),
    "all equal": torch.ones(300, 4),
    "large norms": near_duplicates(1e30),
    "far from the origin": normals(400, 30, 0) * 1e-2 + 1e4,
    "norms from 1e-30 to 1e30": normals(400, 30, 0) * torch.logspace(-30, 30, 400)[:, None],
    "float32 underflow": near_duplicates(1e-41),
}
