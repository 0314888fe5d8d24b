# psql's commands that describe, each of which is a query of the catalog.

# describe runs one of them and tells of its error alone.
describe() {
	local got
	got=$(ask "\\$1" 2>&1 >/dev/null)
	echo "${got:-answered}"
}

# describe_all runs them all.
describe_all() {
	for command in d d+ dt+ l+ dn+ df 'df+ to_char' da du du+ dv dm di+ dp z dP dT 'dT+ text' dx dD dO dE dF dFd dFp dFt dL dX dy db db+ dc dC dd des det deu dew dg do dl ds dAc dAf dAo dAp dRp dRs drds 'dconfig TimeZone' 'sf format_type' 'd+ history.customer' 'd pg_class'; do
		check "\\\\$command" 'answered' describe "$command"
	done
}
