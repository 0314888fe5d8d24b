package format

import "slices"

// RenameMembers renames members of a JSON object. names has pairs of an old and a new name; the new
// name "" removes the member. A text that is not a JSON object is returned unchanged.
func RenameMembers(text []byte, names [][2]string, style Style) []byte {
	v, err := ParseJSON(text)
	if err != nil || v.Kind() != JSONObject {
		return slices.Clone(text)
	}
	return v.Renamed(names).Append(nil, style)
}

// Renamed returns an object with members renamed as in RenameMembers.
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
