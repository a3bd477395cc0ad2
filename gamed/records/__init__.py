"""Game records: XML documents in the formats of the BGoV specification. Source: docs/reference/records.md."""
