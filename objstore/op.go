package objstore

// Names of the operations of a Bucket, for errors, counters and operation logs.
const (
	OpGet          = "get"
	OpGetRange     = "get range"
	OpGetIfChanged = "get if changed"
	OpOpen         = "open"
	OpPut          = "put"
	OpUpload       = "upload"
	OpSwap         = "swap"
	OpDelete       = "delete"
	OpDeleteIf     = "delete if"
	OpList         = "list"
	OpServerTime   = "server time"
	OpCopy         = "copy"
)
