"""What a step may call, and what each tool declares about its effects."""
