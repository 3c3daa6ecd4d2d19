"""What the kernels of vendors' libraries have in common: int8, fixed point, no overflow."""
