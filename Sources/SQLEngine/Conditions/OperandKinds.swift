internal import ORMStorage

extension OperandKinds {
  /// The type as which every value of an operand can be stored; nil where there is none.
  ///
  /// Arithmetic on integers may leave their type, so its kind says too little.
  func type(of operand: Operand) throws -> AttributeType? {
    switch operand {
    case .value(let value): return value.kind.flatMap(\.type)
    case .parameter(_, let kind): return kind.type
    case .path(let path): return try type(of: path)
    case .function(.length, _), .function(.count, _): return .int64
    case .function(.uppercase, _), .function(.lowercase, _): return .string
    case .function(let function, _) where function.folding != nil: return .string
    case .function(.part(let part, _), _): return part.kind.type
    case .relatedValue(let inner, let rows): return try inside(rows).type(of: inner)
    case .relatedAggregate(let kind, let inner, let rows, _):
      switch kind {
      case .count, .countDistinct: return .int64
      case .average: return .double
      case .minimum, .maximum: return try inner.flatMap { try inside(rows).type(of: $0) }
      case .sum:
        let kind = try inner.flatMap { try inside(rows).kind(of: $0) }
        return kind.flatMap { $0.isNumber ? $0.type : nil }
      }
    case .ofItems(.count, _, _, _), .ofItems(.countDistinct, _, _, _): return .int64
    default: return nil
    }
  }
}

extension AttributeType.Kind {
  /// The type as which every value of the kind can be stored; nil for JSON too, whose values are of
  /// any kind.
  fileprivate var type: AttributeType? { self == .json ? nil : widestType }
}
