"""A real dashboard follows the API's description: schemathesis sends requests and compares the responses with it."""
