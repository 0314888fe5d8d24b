package format

import "slices"

// RenameMembers is a JSON object in which members have other names: names are pairs of a
// name and the one that takes its place, "" for a member to leave out. A text that is no
// JSON object stays what it is.
func RenameMembers(text []byte, names [][2]string, style Style) []byte {
	v, err := ParseJSON(text)
	if err != nil || v.Kind() != JSONObject {
		return slices.Clone(text)
	}
	return v.Renamed(names).Append(nil, style)
}

// Renamed is an object with other names, as RenameMembers takes them.
func (v Value) Renamed(names [][2]string) Value {
	var members []Member
	for name, value := range v.Members() {
		if i := slices.IndexFunc(names, func(n [2]string) bool { return n[0] == name }); i >= 0 {
			if name = names[i][1]; name == "" {
				continue
			}
		}
		members = append(members, Member{Name: name, Value: value})
	}
	return Object(members...)
}
