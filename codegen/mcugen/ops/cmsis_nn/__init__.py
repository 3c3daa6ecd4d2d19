"""Kernels of CMSIS-NN 7.0.0+43: when each may be called, with what numbers and working memory.

Every refusal is a precondition of the library at the pinned commit; many of them it does not check
and computes something else, or writes outside of its tensors.
"""
