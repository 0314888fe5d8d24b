package duckdb

import (
	"context"
	"regexp"
	"strconv"
	"time"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// Operator is a step of a statement that Profile measured, with the steps that it took rows
// from.
type Operator struct {
	Type   string        // DuckDB's name, such as HASH_JOIN; TABLE_SCAN for all scans
	Scan   string        // the kind of a scan, such as SEQ_SCAN or READ_PARQUET
	Source string        // the name of the table or of the first file that a scan reads; "" for none
	Rows   int64         // that it returned
	Time   time.Duration // spent in this step alone, by all threads together
	Inputs []Operator
}

// Profile calls run, which runs one statement of the connection to its end, and returns the
// last step of the statement; nil if run did not use the connection.
func (c *Conn) Profile(ctx context.Context, run func() error) (*Operator, error) {
	if err := c.Exec(ctx, "PRAGMA enable_profiling = 'no_output'"); err != nil {
		return nil, err
	}
	err := run()
	var last *Operator
	if info := raw.GetProfilingInfo(c.raw); err == nil && info.Ptr != nil && raw.ProfilingInfoGetChildCount(info) > 0 {
		o := readOperator(raw.ProfilingInfoGetChild(info, 0)) // info itself is the statement
		last = &o
	}
	if end := c.Exec(context.WithoutCancel(ctx), "PRAGMA disable_profiling"); err == nil {
		err = end
	}
	return last, err
}

// scanned matches what a scan reads in DuckDB's description of it: a table's qualified name, or
// the paths of files.
var scanned = regexp.MustCompile(`(?:\{|, )(?:Table=[^,}]*?\.?([^.,}]+)|\\?'?Filename\(s\)\\?'?=[^,}]*?([^/,}'\\]+)\\?'?)[,}]`)

func readOperator(info raw.ProfilingInfo) Operator {
	metrics := raw.ProfilingInfoGetMetrics(info)
	defer raw.DestroyValue(&metrics)
	text := map[string]string{}
	for i := range raw.GetMapSize(metrics) {
		key, value := raw.GetMapKey(metrics, i), raw.GetMapValue(metrics, i)
		text[raw.GetVarchar(key)] = raw.GetVarchar(value)
		raw.DestroyValue(&key)
		raw.DestroyValue(&value)
	}
	o := Operator{Type: text["OPERATOR_TYPE"]}
	o.Rows, _ = strconv.ParseInt(text["OPERATOR_CARDINALITY"], 10, 64)
	seconds, _ := strconv.ParseFloat(text["OPERATOR_TIMING"], 64)
	o.Time = time.Duration(seconds * float64(time.Second))
	if o.Type == "TABLE_SCAN" {
		o.Scan = text["OPERATOR_NAME"]
		if m := scanned.FindStringSubmatch(text["EXTRA_INFO"]); m != nil {
			o.Source = m[1] + m[2]
		}
	}
	for i := range raw.ProfilingInfoGetChildCount(info) {
		o.Inputs = append(o.Inputs, readOperator(raw.ProfilingInfoGetChild(info, i)))
	}
	return o
}
