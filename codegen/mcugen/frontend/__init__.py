"""ONNX files to graphs; nothing outside this package imports `onnx`."""

from mcugen.frontend.loader import Imported, load, load_model

__all__ = ["Imported", "load", "load_model"]
