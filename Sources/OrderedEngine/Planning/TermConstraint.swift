internal import ORMStorage

/// The constraint of a part of a condition on one attribute alone, which a key or index can answer.
///
/// Nothing that holds is left out, and where it is exact, nothing it lets through fails.
struct TermConstraint {
  /// The attribute's column in the file.
  let column: Int
  /// The form in which the key must hold the column; nil when any form will do.
  let form: StoredIndex.Form?
  /// The test of the attribute.
  let test: Test
  /// True if it says all that the part does; if not, the part is still to be tested.
  let isExact: Bool

  /// A test of one attribute.
  indirect enum Test {
    case equal(Operand)
    case isNull
    case isPresent
    case bound(Comparator, Operand)
    case isIn(Operand)
    case begins(Operand)
    /// Begins as every text does that matches a pattern.
    case beginsLike(Operand, TextOptions)
    /// Begins as every text does that a regular expression matches.
    case beginsMatching(Operand)
    case hasElement(Operand)
    /// One of `count` parts of the arrays in a list. Adjacent terms hold the parts of one array.
    case part(Int, count: Int, of: Operand)
    case all([Test])
    case any([Test])
  }

  /// Reads a part of a condition; nil when keys cannot answer it.
  init?(_ condition: Condition, _ entity: EntityStorage) {
    switch condition {
    case .any(let parts):
      guard let constraint = Self.joined(parts, entity) else { return nil }
      self = constraint
    default: self.init(single: condition, entity)
    }
  }

  /// Reads a condition on one operand.
  private init?(single condition: Condition, _ entity: EntityStorage) {
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
    case .text(let text, .like, let pattern, let options):
      guard let column = Self.column(text, entity), let form = Self.form(options),
        Self.kind(of: pattern) == .string,
        entity.layout.entity.columns[column].type == .string
      else { return nil }
      self.init(column, form, .beginsLike(pattern, options), isExact: false)
    case .text(let text, .matches, let pattern, []):
      guard let column = Self.column(text, entity), Self.kind(of: pattern) == .string,
        entity.layout.entity.columns[column].type == .string
      else { return nil }
      self.init(column, .value, .beginsMatching(pattern), isExact: false)
    default: return nil
    }
  }

  /// Returns the constraints of a condition that looks for several attributes in a list of arrays, one for
  /// each attribute; nil for any other condition.
  ///
  /// Only together do they mean the same as the condition, with each array's parts beside each other.
  static func parts(_ condition: Condition, _ entity: EntityStorage) -> [TermConstraint]? {
    guard
      case .isIn(.list(let operands), .parameterList(let slot, let kind, let capacity), []) =
        condition
    else { return nil }
    let list = Operand.parameterList(slot, kind, capacity: capacity)
    let columns = operands.compactMap { column($0, entity) }
    guard columns.count == operands.count, Set(columns).count == columns.count else { return nil }
    return columns.enumerated().map {
      TermConstraint($0.element, .value, .part($0.offset, count: columns.count, of: list))
    }
  }

  private init(
    _ column: Int, _ form: StoredIndex.Form?, _ test: Test, isExact: Bool = true
  ) {
    self.column = column
    self.form = form
    self.test = test
    self.isExact = isExact
  }

  /// Returns the constraint of alternatives together on one attribute that each of them constrains.
  private static func joined(_ parts: [Condition], _ entity: EntityStorage) -> TermConstraint? {
    let alternatives = parts.map { part -> [TermConstraint] in
      guard case .all(let inner) = part else {
        return [TermConstraint(single: part, entity)].compactMap { $0 }
      }
      let constraints = inner.compactMap { TermConstraint(single: $0, entity) }
      return met(constraints, isWhole: constraints.count == inner.count)
    }
    guard let first = alternatives.first else { return nil }
    for candidate in first where candidate.form != .elements {
      let all = alternatives.map { alternative in
        alternative.first {
          $0.column == candidate.column
            && ($0.form == nil || candidate.form == nil || $0.form == candidate.form)
        }
      }
      let found = all.compactMap { $0 }
      guard found.count == alternatives.count else { continue }
      let forms = Set(found.compactMap(\.form))
      guard forms.count <= 1, forms.first != .elements else { continue }
      return TermConstraint(
        candidate.column, forms.first, .any(found.map(\.test)),
        isExact: found.allSatisfy(\.isExact))
    }
    return nil
  }

  /// Returns the constraints on each attribute of conditions that hold together.
  private static func met(_ constraints: [TermConstraint], isWhole: Bool) -> [TermConstraint] {
    var met: [TermConstraint] = []
    for constraint in constraints where !met.contains(where: { $0.column == constraint.column }) {
      let same = constraints.filter {
        $0.column == constraint.column && $0.form == constraint.form
      }
      met.append(
        TermConstraint(
          constraint.column, constraint.form,
          same.count == 1 ? same[0].test : .all(same.map(\.test)),
          isExact: isWhole && same.count == constraints.count && same.allSatisfy(\.isExact)))
    }
    return met
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
    return entity.fileColumns[column]
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
  /// True if it leaves one value.
  var isPoint: Bool {
    switch test {
    case .equal, .isNull, .hasElement: true
    default: false
    }
  }

  /// The number of terms it is bound together with, itself among them; nil for one that stands
  /// alone.
  var partCount: Int? { if case .part(_, let count, _) = test { count } else { nil } }

  /// True if it leaves single values.
  var isPoints: Bool { test.isPoints }

  /// True if no null is left.
  var excludesNull: Bool { test.excludesNull }

  /// The number of single values it leaves at most; nil when that is not known before it is bound.
  var valueCount: Int? { test.valueCount }

  /// True if it bounds the remaining part of the key from below, and from above.
  var sides: (lower: Bool, upper: Bool) {
    switch test {
    case .bound(let comparator, _):
      comparator == .greater || comparator == .greaterOrEqual ? (true, false) : (false, true)
    case .isPresent, .any, .all: (false, false)
    default: (true, true)
    }
  }
}

extension TermConstraint.Test {
  fileprivate var isPoints: Bool {
    switch self {
    case .equal, .isNull, .isIn, .hasElement, .part: true
    case .isPresent, .bound, .begins, .beginsLike, .beginsMatching, .all: false
    case .any(let tests): tests.allSatisfy(\.isPoints)
    }
  }

  fileprivate var excludesNull: Bool {
    switch self {
    case .isNull: false
    case .any(let tests): tests.allSatisfy(\.excludesNull)
    case .all(let tests): tests.contains(where: \.excludesNull)
    default: true
    }
  }

  /// The number of single values it leaves at most; nil when that is not known before it is bound.
  var valueCount: Int? {
    switch self {
    case .equal, .isNull, .hasElement: return 1
    case .isIn(.parameterList(_, _, let capacity)): return capacity
    case .any(let tests):
      var sum = 0
      for test in tests {
        guard let count = test.valueCount else { return nil }
        let (next, isTooLarge) = sum.addingReportingOverflow(count)
        if isTooLarge { return nil }
        sum = next
      }
      return sum
    case .isPresent, .bound, .isIn, .begins, .beginsLike, .beginsMatching, .part, .all: return nil
    }
  }
}

extension EntityStorage {
  /// Returns the domain of the keys of a file's column.
  func domain(of column: Int) -> KeyDomain { KeyDomain(layout.fields[column].encoding) }
}
