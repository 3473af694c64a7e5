internal import ORMValues

extension Condition {
  /// Reads a condition in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no condition.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "constant": self = .constant(try coded.value())
    case "not": self = .not(try coded.value())
    case "all": self = .all(try coded.value())
    case "any": self = .any(try coded.value())
    case "compare":
      self = .compare(
        try coded.value(), try coded.value("_1"), try coded.value("_2"), try coded.value("_3"))
    case "isIn":
      self = .isIn(try coded.value(), list: try coded.value("list"), try coded.value("_2"))
    case "text":
      self = .text(
        try coded.value(), try coded.value("_1"), try coded.value("_2"), try coded.value("_3"))
    case "some": self = .some(try coded.value(), try coded.value("_1"))
    case "exists": self = .exists(try coded.value(), try coded.value("_1"))
    case "someItem":
      self = .someItem(
        of: try coded.value("of"), scope: try coded.value("scope"), try coded.value("_2"))
    case "invalid": self = .invalid(try coded.value())
    default: throw coded.isUnknown
    }
  }

  /// Encodes the condition as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .constant(let value): try CodedCase.encode("constant", value, to: encoder)
    case .not(let condition): try CodedCase.encode("not", condition, to: encoder)
    case .all(let conditions): try CodedCase.encode("all", conditions, to: encoder)
    case .any(let conditions): try CodedCase.encode("any", conditions, to: encoder)
    case .compare(let a, let comparator, let b, let options):
      try CodedCase.encode(
        "compare", parts: ["_0": a, "_1": comparator, "_2": b, "_3": options], to: encoder)
    case .isIn(let value, let list, let options):
      try CodedCase.encode("isIn", parts: ["_0": value, "list": list, "_2": options], to: encoder)
    case .text(let a, let symbol, let b, let options):
      try CodedCase.encode(
        "text", parts: ["_0": a, "_1": symbol, "_2": b, "_3": options], to: encoder)
    case .some(let elements, let condition):
      try CodedCase.encode("some", parts: ["_0": elements, "_1": condition], to: encoder)
    case .exists(let rows, let condition):
      try CodedCase.encode("exists", parts: ["_0": rows, "_1": condition], to: encoder)
    case .someItem(let array, let scope, let condition):
      try CodedCase.encode(
        "someItem", parts: ["of": array, "scope": scope, "_2": condition], to: encoder)
    case .invalid(let error): try CodedCase.encode("invalid", error, to: encoder)
    }
  }
}
