"""Weights on disk, GGUF and safetensors, read into Hugging Face names and layouts."""
