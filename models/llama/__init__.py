"""The Llama family: Llama, SmolLM2, Qwen 2 and everything else with the same graph."""
