package objects

import (
	"strings"

	"github.com/ontosql/ontosql/nameservice"
)

// Layout says how new records are spread over files. A record that is there keeps the layout that its
// files have.
type Layout uint8

// The layouts that can be chosen. A single file with the index in it (layout A) is read and written
// where others have made one.
const (
	LayoutB Layout = iota // one file of head, status and config, and one of the index
	LayoutC               // one file for each concern
)

// Prefix begins the keys of all files.
const Prefix = "ns@v2/"

// part is one of the files of a record.
type part uint8

const (
	mainPart  part = iota // all concerns that have no file of their own; layouts A and B
	headPart              // layout C, like statusPart and configPart
	indexPart             // layouts B and C
	statusPart
	configPart
	partCount
)

const extension = ".json"

// infixes stand before the extension.
var infixes = [partCount]string{mainPart: "", headPart: ".head", indexPart: ".index", statusPart: ".status", configPart: ".config"}

// partOf is the file of a concern that has one of its own.
var partOf = [...]part{nameservice.Head: headPart, nameservice.Index: indexPart, nameservice.Status: statusPart, nameservice.Config: configPart}

func (p part) key(stem string) string { return Prefix + stem + infixes[p] + extension }

// splitKey is the inverse of key. ok is false for a key of another kind.
func splitKey(key string) (stem string, p part, ok bool) {
	stem, ok = strings.CutSuffix(key, extension)
	if !ok || !strings.HasPrefix(stem, Prefix) {
		return "", 0, false
	}
	stem = stem[len(Prefix):]
	for p := headPart; p < partCount; p++ {
		if own, found := strings.CutSuffix(stem, infixes[p]); found {
			return own, p, true
		}
	}
	return stem, mainPart, true
}

// stems are where the files of a record may be: its own place first. In a folder of its own a graph
// source cannot meet the ontology of the same name; one that other programs have stored is where
// the seed has it, beside ontologies.
func stems(a nameservice.Alias) []string {
	segments := strings.Split(strings.ReplaceAll(a.Name, "%", "%25"), "/")
	for i, segment := range segments {
		segments[i] = escapeDots(segment, extension)
	}
	branch := strings.NewReplacer("%", "%25", "/", "%2F").Replace(a.Branch)
	stem := strings.Join(append(segments, escapeDots(branch, infixes[1:]...)), "/")
	if a.Graph {
		return []string{"vg:" + stem, stem}
	}
	return []string{stem}
}

// escapeDots escapes the dot that begins a segment of a key, because ".", ".." and some others have a
// meaning of their own, and that of an ending by which the key would look like another kind of file.
func escapeDots(segment string, endings ...string) string {
	if rest, hidden := strings.CutPrefix(segment, "."); hidden {
		segment = "%2E" + rest
	}
	for _, ending := range endings {
		if before, found := strings.CutSuffix(segment, ending); found {
			return before + "%2E" + ending[1:]
		}
	}
	return segment
}
