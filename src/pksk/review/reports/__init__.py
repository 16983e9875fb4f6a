"""Reviews as text, Markdown, JSON, SARIF and HTML, one module for each format."""
