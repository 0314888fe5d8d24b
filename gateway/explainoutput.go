package gateway

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/rewrite/scope"
)

// explainOutput is what EXPLAIN tells. In JSON and XML it has the names that PostgreSQL's
// has where it tells the same, so that programs draw the plan by them.
type explainOutput struct {
	XMLName   xml.Name     `json:"-" xml:"Query"`
	Plan      planNode     `json:"Plan" xml:"Plan"`
	Profile   *profileNode `json:"Profile,omitempty" xml:"Profile,omitempty"`
	Store     *storeUse    `json:"Object Store,omitempty" xml:"Object-Store,omitempty"`
	Planning  *float64     `json:"Planning Time,omitempty" xml:"Planning-Time,omitempty"`   // in milliseconds,
	Execution *float64     `json:"Execution Time,omitempty" xml:"Execution-Time,omitempty"` // as is this
}

// planNode is the statement, or below it one of its references.
type planNode struct {
	Type      string     `json:"Node Type" xml:"Node-Type"`
	Parent    string     `json:"Parent Relationship,omitempty" xml:"Parent-Relationship,omitempty"`
	Subplan   string     `json:"Subplan Name,omitempty" xml:"Subplan-Name,omitempty"`
	CTE       string     `json:"CTE Name,omitempty" xml:"CTE-Name,omitempty"`
	Join      string     `json:"Join Type,omitempty" xml:"Join-Type,omitempty"`
	Operation string     `json:"Operation,omitempty" xml:"Operation,omitempty"`
	Schema    string     `json:"Schema,omitempty" xml:"Schema,omitempty"`
	Relation  string     `json:"Relation Name,omitempty" xml:"Relation-Name,omitempty"`
	Rows      *int       `json:"Actual Rows,omitempty" xml:"Actual-Rows,omitempty"`
	Pin       string     `json:"Pin,omitempty" xml:"Pin,omitempty"`
	Window    string     `json:"Window,omitempty" xml:"Window,omitempty"`
	Mirror    string     `json:"Mirror,omitempty" xml:"Mirror,omitempty"`
	Point     string     `json:"Point,omitempty" xml:"Point,omitempty"`
	Source    string     `json:"Source,omitempty" xml:"Source,omitempty"`
	Before    string     `json:"Before,omitempty" xml:"Before,omitempty"`
	Output    planItems  `json:"Output,omitempty" xml:"Output,omitempty"`
	Columns   planItems  `json:"Columns,omitempty" xml:"Columns,omitempty"`
	Keys      planItems  `json:"Key,omitempty" xml:"Key,omitempty"`
	Scanned   *scanTotal `json:"Scanned,omitempty" xml:"Scanned,omitempty"`
	Plans     planNodes  `json:"Plans,omitempty" xml:"Plans,omitempty"`
}

type (
	planItems []string
	planNodes []planNode
)

// MarshalXML names each text Item, as PostgreSQL does.
func (l planItems) MarshalXML(to *xml.Encoder, start xml.StartElement) error {
	return to.EncodeElement(struct{ Item []string }{l}, start)
}

// MarshalXML names each node Plan.
func (l planNodes) MarshalXML(to *xml.Encoder, start xml.StartElement) error {
	return to.EncodeElement(struct{ Plan []planNode }{l}, start)
}

// scanTotal is what the scans of a reference returned, and the time of all threads in them.
type scanTotal struct {
	Rows int64
	Time float64 // in milliseconds
	// References is their number if there are several to one relation, whose scans these are.
	References int `json:",omitempty" xml:",omitempty"`
}

// storeUse is what a statement asked of the object store.
type storeUse struct {
	Requests, Bytes int64
}

// joined says of the statement that it is an outer join, where that may leave a reference
// without a row: then the outputs of inner ones may be NULL.
func (n *planNode) joined() {
	if slices.ContainsFunc(n.Plans, func(p planNode) bool { return p.Parent == "Inner" }) {
		n.Join = "Left"
	}
}

// outputs names the columns of the result, those of a reference after it and its place.
func (n *planNode) outputs(columns []scope.Output) {
	for _, c := range columns {
		name := c.Name
		if c.Ref >= 0 {
			of := &n.Plans[c.Ref]
			name = fmt.Sprintf("%s_%d.%s", of.name(), c.Ref+1, c.Column)
			of.Output = append(of.Output, name)
		}
		n.Output = append(n.Output, name)
	}
}

// explainOIDs are the types of EXPLAIN's column in the formats that there are.
var explainOIDs = map[string]uint32{"text": oidText, "json": 114, "xml": 142}

// in are the rows of EXPLAIN in a format.
func (e *explainOutput) in(format string) ([]string, error) {
	switch format {
	case "json":
		var out bytes.Buffer
		to := json.NewEncoder(&out)
		to.SetEscapeHTML(false)
		to.SetIndent("", "  ")
		err := to.Encode([]*explainOutput{e})
		return []string{strings.TrimSuffix(out.String(), "\n")}, err
	case "xml":
		out, err := xml.MarshalIndent(e, "  ", "  ")
		return []string{`<explain xmlns="http://www.postgresql.org/2009/explain">` + "\n" + string(out) + "\n</explain>"}, err
	}
	return e.lines(), nil
}

func (e *explainOutput) lines() []string {
	top := e.Plan.top()
	if e.Plan.Rows != nil {
		top = fmt.Sprintf("%s  (rows=%d)", top, *e.Plan.Rows)
	}
	lines := []string{top, "Pin: " + e.Plan.Pin}
	lines = append(lines, e.Plan.below()...)
	if e.Profile != nil {
		lines = append(lines, "Profile:")
		for _, line := range e.Profile.lines() {
			lines = append(lines, "  "+line)
		}
	}
	if e.Store != nil {
		lines = append(lines, fmt.Sprintf("Object store: %d requests, %d bytes", e.Store.Requests, e.Store.Bytes))
	}
	if e.Planning != nil {
		lines = append(lines, fmt.Sprintf("Planning Time: %.3f ms", *e.Planning))
	}
	if e.Execution != nil {
		lines = append(lines, fmt.Sprintf("Execution Time: %.3f ms", *e.Execution))
	}
	return lines
}

// top is the line of a statement.
func (n *planNode) top() string {
	if n.Operation != "" {
		return n.Operation + " on " + n.name()
	}
	return n.Type
}

// below are the lines of the parts of a statement, and those of its references.
func (n *planNode) below() (lines []string) {
	for _, part := range n.Plans {
		if part.Subplan == "" {
			continue
		}
		lines = append(lines, "  "+part.Subplan, "    ->  "+part.top())
		for _, line := range part.below() {
			lines = append(lines, "        "+line)
		}
	}
	for _, ref := range n.Plans {
		if ref.Subplan == "" {
			lines = append(lines, ref.lines()...)
		}
	}
	return lines
}

// lines are those of a reference.
func (n *planNode) lines() []string {
	if n.CTE != "" {
		return []string{"  ->  " + n.Type + " on " + n.CTE}
	}
	if n.Window == "" {
		return append([]string{"  ->  " + n.name() + "  (computed)"}, n.scanLines()...)
	}
	lines := []string{fmt.Sprintf("  ->  %s  (%s)", n.name(), n.Window)}
	if n.Point != "" {
		lines = append(lines, "        Point: "+n.Point)
	}
	if n.Mirror != "" {
		lines = append(lines, "        Mirror: "+n.Mirror)
	}
	if n.Source != "" {
		lines = append(lines, "        "+n.Source)
	}
	if n.Before != "" {
		lines = append(lines, "        Before: "+n.Before)
	}
	if len(n.Columns) > 0 {
		lines = append(lines, "        Columns: "+strings.Join(n.Columns, ", "))
	}
	for _, key := range n.Keys {
		lines = append(lines, "        Key: "+key)
	}
	return append(lines, n.scanLines()...)
}

// scanLines tell of the scans of a reference, if they were measured.
func (n *planNode) scanLines() []string {
	if n.Scanned == nil {
		return nil
	}
	line := fmt.Sprintf("        Scanned: %d rows in %.3f ms", n.Scanned.Rows, n.Scanned.Time)
	if n.Scanned.References > 1 {
		line += fmt.Sprintf(", by all %d references to it", n.Scanned.References)
	}
	return []string{line}
}

func (n *planNode) name() string { return n.Schema + "." + n.Relation }
