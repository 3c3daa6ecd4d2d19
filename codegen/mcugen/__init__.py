"""mcugen: ONNX models to C and firmware projects for microcontrollers, proved bit for bit."""

__version__ = "0.1.0"
