internal import ORMValues

extension Operand {
  /// Reads an operand in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no operand.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "value": self = .value(try coded.value())
    case "parameter": self = .parameter(try coded.value(), try coded.value("_1"))
    case "parameterList":
      self = .parameterList(
        try coded.value(), try coded.optional("_1"), capacity: try coded.value("capacity"))
    case "path": self = .path(try coded.value())
    case "json": self = .json(try coded.value(), try coded.value("_1"))
    case "element": self = .element(try coded.value(), try coded.value("_1"))
    case "arithmetic":
      self = .arithmetic(try coded.value(), try coded.value("_1"), try coded.value("_2"))
    case "negated": self = .negated(try coded.value())
    case "function": self = .function(try coded.value(), try coded.value("_1"))
    case "choice": self = .choice(try coded.value(), try coded.value("_1"), try coded.value("_2"))
    case "ofElements":
      self = .ofElements(
        try coded.value(), try coded.optional("_1"), try coded.value("_2"), try coded.value("_3"))
    case "relatedAggregate":
      self = .relatedAggregate(
        try coded.value(), try coded.optional("_1"), try coded.value("_2"), try coded.value("_3"))
    case "relatedValue": self = .relatedValue(try coded.value(), try coded.value("_1"))
    case "item": self = .item(try coded.value())
    case "ofItems":
      self = .ofItems(
        try coded.value(), try coded.value("_1"), scope: try coded.value("scope"),
        try coded.value("_3"))
    case "list": self = .list(try coded.value())
    case "variable": self = .variable(try coded.value())
    case "now": self = .now
    case "output": self = .output(try coded.value())
    case "invalid": self = .invalid(try coded.value())
    default: throw coded.isUnknown
    }
  }

  /// Encodes the operand as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .value(let value): try CodedCase.encode("value", value, to: encoder)
    case .parameter(let slot, let kind):
      try CodedCase.encode("parameter", parts: ["_0": slot, "_1": kind], to: encoder)
    case .parameterList(let slot, let kind, let capacity):
      try CodedCase.encode(
        "parameterList", parts: ["_0": slot, "_1": kind, "capacity": capacity], to: encoder)
    case .path(let path): try CodedCase.encode("path", path, to: encoder)
    case .json(let value, let steps):
      try CodedCase.encode("json", parts: ["_0": value, "_1": steps], to: encoder)
    case .element(let array, let position):
      try CodedCase.encode("element", parts: ["_0": array, "_1": position], to: encoder)
    case .arithmetic(let symbol, let a, let b):
      try CodedCase.encode("arithmetic", parts: ["_0": symbol, "_1": a, "_2": b], to: encoder)
    case .negated(let value): try CodedCase.encode("negated", value, to: encoder)
    case .function(let function, let value):
      try CodedCase.encode("function", parts: ["_0": function, "_1": value], to: encoder)
    case .choice(let condition, let a, let b):
      try CodedCase.encode("choice", parts: ["_0": condition, "_1": a, "_2": b], to: encoder)
    case .ofElements(let kind, let value, let elements, let condition):
      try CodedCase.encode(
        "ofElements", parts: ["_0": kind, "_1": value, "_2": elements, "_3": condition], to: encoder
      )
    case .relatedAggregate(let kind, let value, let rows, let condition):
      try CodedCase.encode(
        "relatedAggregate", parts: ["_0": kind, "_1": value, "_2": rows, "_3": condition],
        to: encoder)
    case .relatedValue(let value, let rows):
      try CodedCase.encode("relatedValue", parts: ["_0": value, "_1": rows], to: encoder)
    case .item(let scope): try CodedCase.encode("item", scope, to: encoder)
    case .ofItems(let kind, let value, let scope, let condition):
      try CodedCase.encode(
        "ofItems", parts: ["_0": kind, "_1": value, "scope": scope, "_3": condition], to: encoder)
    case .list(let values): try CodedCase.encode("list", values, to: encoder)
    case .variable(let name): try CodedCase.encode("variable", name, to: encoder)
    case .now: CodedCase.encode("now", to: encoder)
    case .output(let position): try CodedCase.encode("output", position, to: encoder)
    case .invalid(let error): try CodedCase.encode("invalid", error, to: encoder)
    }
  }
}
