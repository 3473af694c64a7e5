package import ORMValues

/// The elements of arrays that conditions look at, while they do.
///
/// They belong to one bound condition or operand, and so to one cursor.
final class ItemSlots {
  /// The elements, by slot.
  var values: [StoredValue]
  /// Asks for each element whether the running operation is to end early: arrays inside of arrays
  /// multiply.
  var check = StopCheck(every: 8)

  init(count: Int) { values = Array(repeating: .null, count: count) }
}

extension StoredValue {
  /// The elements of an array, or of a JSON array; nil for everything else.
  package var elements: [StoredValue]? {
    switch self {
    case .array(let elements): elements
    case .json(let text): JSONText.elements(of: text)
    default: nil
    }
  }
}
