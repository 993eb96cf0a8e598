"""Alerts: what needs somebody's attention, and the webhooks that report it.

`conditions` says which alerts a campaign's status raises, `watch` checks all campaigns, and
`delivery` sends changes to the addresses in `webhooks`.
"""
