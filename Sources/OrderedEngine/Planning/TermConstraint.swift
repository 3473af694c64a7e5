internal import ORMCore

/// What a part of a condition says about one attribute alone, in a form that a key or index can
/// answer exactly: nothing it lets through fails the part, nothing that holds is left out.
struct TermConstraint {
  /// The attribute's column in the file.
  let column: Int
  /// What of the column must be in the key; nil when any form will do.
  let form: StoredIndex.Form?
  /// What is said.
  let test: Test

  /// What can be said of one attribute.
  indirect enum Test {
    case equal(Operand)
    case isNull
    case isPresent
    case bound(Comparator, Operand)
    case isIn(Operand)
    case begins(Operand)
    case hasElement(Operand)
    case any([Test])
  }

  /// Reads a part of a condition; nil when keys cannot answer it exactly.
  init?(_ condition: Condition, _ entity: EntityStorage) {
    switch condition {
    case .compare(let left, let comparator, let right, let options):
      if let column = Self.column(left, entity) {
        self.init(entity, column, comparator, right, options)
      } else if let column = Self.column(right, entity) {
        self.init(entity, column, comparator.swapped, left, options)
      } else {
        return nil
      }
    case .not(.compare(let left, .equal, .value(.null), _)):
      guard let column = Self.column(left, entity) else { return nil }
      self.init(column, nil, .isPresent)
    case .isIn(let element, let list, let options):
      self.init(entity, element, in: list, options)
    case .text(let text, .beginsWith, let prefix, let options):
      guard let column = Self.column(text, entity), let form = Self.form(options),
        Self.kind(of: prefix) == .string,
        entity.layout.entity.columns[column].type == .string
      else { return nil }
      self.init(column, form, .begins(prefix))
    case .any(let parts):
      let constraints = parts.compactMap { TermConstraint($0, entity) }
      guard constraints.count == parts.count, let first = constraints.first,
        constraints.allSatisfy({ $0.column == first.column })
      else { return nil }
      let forms = Set(constraints.compactMap(\.form))
      guard forms.count <= 1, forms.first != .elements else { return nil }
      self.init(first.column, forms.first, .any(constraints.map(\.test)))
    case .constant, .all, .not, .text, .some, .exists, .someItem, .invalid: return nil
    }
  }

  private init(_ column: Int, _ form: StoredIndex.Form?, _ test: Test) {
    self.column = column
    self.form = form
    self.test = test
  }

  private init?(
    _ entity: EntityStorage, _ column: Int, _ comparator: Comparator, _ operand: Operand,
    _ options: TextOptions
  ) {
    if case .value(.null) = operand {
      switch comparator {
      case .equal: self.init(column, nil, .isNull)
      case .notEqual: self.init(column, nil, .isPresent)
      default: return nil
      }
      return
    }
    guard comparator != .notEqual, let form = Self.form(options),
      let kind = Self.kind(of: operand), entity.domain(of: column).takes(kind)
    else { return nil }
    self.init(
      column, form, comparator == .equal ? .equal(operand) : .bound(comparator, operand))
  }

  private init?(
    _ entity: EntityStorage, _ element: Operand, in list: Operand, _ options: TextOptions
  ) {
    guard let form = Self.form(options) else { return nil }
    if let column = Self.column(element, entity) {
      guard case .parameterList(_, let kind?, capacity: _) = list,
        entity.domain(of: column).takes(kind)
      else { return nil }
      self.init(column, form, .isIn(list))
    } else if let column = Self.column(list, entity), form == .value {
      guard case .array(let type) = entity.layout.entity.columns[column].type,
        let kind = Self.kind(of: element), KeyDomain(RecordField.Encoding(type)).takes(kind)
      else { return nil }
      self.init(column, .elements, .hasElement(element))
    } else {
      return nil
    }
  }

  /// The file's column that an operand names, if it is an attribute of the request's own row.
  static func column(_ operand: Operand, _ entity: EntityStorage) -> Int? {
    guard case .path(let path) = operand, path.scope == 0, path.names.count == 1,
      let column = entity.declared.column(ofAttribute: path.names[0])
    else { return nil }
    return entity.places[column]
  }

  /// The form of a key that compares as the options say.
  static func form(_ options: TextOptions) -> StoredIndex.Form? {
    options.isEmpty ? .value : (options == .caseInsensitive ? .caseFolded : nil)
  }

  /// The kind of a value that is known when the request is bound.
  private static func kind(of operand: Operand) -> AttributeType.Kind? {
    switch operand {
    case .parameter(_, let kind): kind
    case .value(let value): value.kind
    default: nil
    }
  }
}

extension TermConstraint {
  /// Whether it leaves one value.
  var isPoint: Bool {
    switch test {
    case .equal, .isNull, .hasElement: true
    default: false
    }
  }

  /// Whether it leaves single values.
  var isPoints: Bool { test.isPoints }

  /// Whether no null is left.
  var excludesNull: Bool { test.excludesNull }

  /// Whether it bounds what is left from below, and from above.
  var sides: (lower: Bool, upper: Bool) {
    switch test {
    case .bound(let comparator, _):
      comparator == .greater || comparator == .greaterOrEqual ? (true, false) : (false, true)
    case .isPresent, .any: (false, false)
    default: (true, true)
    }
  }
}

extension TermConstraint.Test {
  fileprivate var isPoints: Bool {
    switch self {
    case .equal, .isNull, .isIn, .hasElement: true
    case .isPresent, .bound, .begins: false
    case .any(let tests): tests.allSatisfy(\.isPoints)
    }
  }

  fileprivate var excludesNull: Bool {
    switch self {
    case .isNull: false
    case .any(let tests): tests.allSatisfy(\.excludesNull)
    default: true
    }
  }
}

extension EntityStorage {
  /// What the keys of a file's column can hold.
  func domain(of column: Int) -> KeyDomain { KeyDomain(layout.fields[column].encoding) }
}
