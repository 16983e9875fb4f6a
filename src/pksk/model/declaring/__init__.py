"""Declares entities: reads their fields and keys, checks them, and completes what forward references left open."""
