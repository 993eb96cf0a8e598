"""The operations of the API: their messages, handlers and description."""
