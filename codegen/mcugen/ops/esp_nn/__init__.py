"""Kernels of ESP-NN 1.2.3: when each may be called, with what numbers and working memory.

Every refusal is a precondition of the library's code for the ESP32-S3 at the pinned version, found
by reading it; it checks none of them and computes something else, or writes outside of its tensors.
Its logistic and hard swish look every byte up in a table that they make first: the operator Lookup
has the same table ready in flash, so they are not called.
"""
