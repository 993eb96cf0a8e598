"""Alerts: what deserves somebody's attention, and webhooks that tell them.

`conditions` says which alerts a campaign's status raises, `watch` looks at all campaigns, and
`delivery` sends what has changed to the addresses in `webhooks`.
"""
