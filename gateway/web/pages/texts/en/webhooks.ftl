## Webhooks
