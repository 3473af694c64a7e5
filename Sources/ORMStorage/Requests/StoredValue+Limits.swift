internal import FoundationEssentials
public import ORMValues

extension StoreChange.Assignment {
  /// True if the value is one of the request, and not worked out.
  package var isConstant: Bool {
    switch value {
    case .value, .parameter, .parameterList: true
    default: false
    }
  }
}

extension StoredValue {
  /// Throws `tooLarge` when the value takes more bytes than a store keeps of one value.
  package func checkSize(_ limit: Int, _ attribute: String, of entity: String) throws {
    let size = size(near: limit)
    guard size > limit else { return }
    throw StoreError(
      .tooLarge, "a value of \(size) bytes is larger than the store's limit of \(limit)",
      entity: entity, attributes: [attribute])
  }

  /// The bytes of a text or of data; a bound of them for an array that is far from the limit.
  package func size(near limit: Int) -> Int {
    switch self {
    case .string(let text), .json(let text): return text.utf8.count
    case .data(let data): return data.count
    case .array(let elements):
      let most = elements.reduce(2) { $0 + $1.greatestTextSize }
      return most <= limit ? most : JSONText.encode(array: elements).utf8.count
    default: return 0
    }
  }

  /// A bound of the bytes that a scalar takes in a JSON text, with its comma.
  private var greatestTextSize: Int {
    switch self {
    // A control character becomes six bytes.
    case .string(let text): 6 * text.utf8.count + 3
    case .data(let data): 2 * data.count + 8
    default: 64
    }
  }

  /// Returns the value of an expression as an attribute of a type takes it: a float is the nearest to it.
  ///
  /// A store that carries out set-based updates itself rounds computed values so, and no constants.
  public func rounded(for type: AttributeType) -> StoredValue {
    guard type == .float, case .double(let number) = self, !number.isNaN else { return self }
    return .double(Double(Float(number)))
  }

  /// A text in NFC; any other value as it is.
  package var normalizedText: StoredValue {
    guard case .string(let text) = self else { return self }
    return .string(TextFolding.normalizeNFC(text))
  }

  /// Returns the value in the form that a column keeps.
  package func normalized(for column: StoredColumn) -> StoredValue {
    column.isNormalized ? normalizedText : self
  }

  /// The value as a column takes it in an update.
  ///
  /// Throws `missingValue`, `invalidValue` or `tooLarge` if it cannot be stored there. A constant
  /// is taken as it is, and the value of an expression is rounded.
  package func assigned(
    to column: StoredColumn, of entity: String, limit: Int, isConstant: Bool
  ) throws -> StoredValue {
    let value = (isConstant ? self : rounded(for: column.type)).normalized(for: column)
    if let fault = column.type.fault(of: value, isOptional: column.isOptional) {
      throw StoreError(
        value.isNull ? .missingValue : .invalidValue, "the value \(fault)", entity: entity,
        attributes: [column.attribute])
    }
    try value.checkSize(limit, column.attribute, of: entity)
    return value
  }
}
