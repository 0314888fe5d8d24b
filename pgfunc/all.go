package pgfunc

import "slices"

// All are the functions. Their names begin with ontosql_.
func All() []Function {
	return slices.Concat(timeFunctions, timeInputFunctions, timetzFunctions, zoneFunctions, intervalFunctions, numberFunctions, floatFunctions, hexadecimalFunctions, styleFunctions, decimalFunctions, powerFunctions, spreadFunctions, regexpFunctions, likeFunctions, textFunctions, bytesFunctions, bitFunctions, bitStringFunctions, hashFunctions, encodingFunctions, identFunctions, byteSizeFunctions, jsonFunctions, pathFunctions, jsonbFunctions, jsonTextFunctions, orderFunctions, containsFunctions, editFunctions)
}
