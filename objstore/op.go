package objstore

// The operations of a Bucket, as errors, counters and op logs name them.
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
)
