// The test runner loads a module over a connection of whoever asks first. An object that a test
// kills in the middle of that would leave the module unloaded for all: it is loaded before.

import '@modelcontextprotocol/client'
