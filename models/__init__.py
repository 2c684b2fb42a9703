"""Language models as graph operators: configs, decoders, weights, tokenizers, prompt profiles."""
