"""The decision service: live campaigns over HTTP.

`host` runs the campaigns, `http` admits requests and sends responses, `api` says what each
operation does, `dashboard` holds the files of the web pages.
"""
