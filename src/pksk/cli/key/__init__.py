"""Commands about key templates."""
