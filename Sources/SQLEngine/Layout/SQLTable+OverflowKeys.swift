internal import ORMStorage

/// Keys and indexed values that are too long for an entry of an index.
///
/// A table begins with plain indexes. When the database first refuses a value, each index with values that
/// can be long gets overflow keys: it holds the beginnings of the values, and a unique one a digest of the
/// whole values too. Equal values are found by an index of their own for each such column.
extension SQLTable {
  /// A column of a key or an index.
  struct IndexTerm: Hashable {
    /// Its name in quotes.
    var name: String
    /// The kind of its values.
    var kind: AttributeType.Kind
    /// Its order.
    var isDescending = false
    /// True if the index says that nulls come first, false for last; nil if it says nothing.
    var nullsFirst: Bool?

    /// The part of an entry for a text about the column.
    func entry(_ text: String) -> SQLIndex.Term {
      SQLIndex.Term(text: text, isDescending: isDescending, nullsFirst: nullsFirst)
    }
  }

  /// The most values of an entry that are cut to their beginnings: with as many fixed values as an index
  /// takes, they fit an entry.
  private static let mostBeginnings = 3

  /// Returns whether a value of the table's key, indexes or elements may be too long for an entry.
  func canOverflow(_ dialect: any SQLDialect) -> Bool {
    let terms =
      keyTerms(dialect) + indexes.flatMap { self.terms(of: $0, dialect) }
      + elementColumns.flatMap { elementTerms(of: $0, dialect) }
    return terms.contains { dialect.mayOverflow($0.kind) }
  }

  /// Returns whether an index of these columns has overflow keys.
  func overflows(_ terms: [IndexTerm], _ dialect: any SQLDialect) -> Bool {
    hasOverflowKeys && terms.contains { dialect.mayOverflow($0.kind) }
  }

  // MARK: Terms

  /// The columns of the primary key.
  func keyTerms(_ dialect: any SQLDialect) -> [IndexTerm] {
    keyColumns.map { IndexTerm(name: dialect.quoted($0.name), kind: $0.stored.type.kind) }
  }

  /// The columns of an index; of one about elements, that of the elements in their table.
  func terms(of index: Index, _ dialect: any SQLDialect) -> [IndexTerm] {
    if elements(of: index) != nil {
      return Array(elementTerms(of: columns[index.stored.terms[0].column], dialect).prefix(1))
    }
    return index.stored.terms.map { term in
      let column = columns[term.column]
      let name = term.form == .caseFolded ? column.folded ?? column.name : column.name
      // Nil is the least value, whichever the database takes it for.
      let isSaid =
        column.stored.isOptional && dialect.placesNulls
        && dialect.putsNullsFirst(term.isDescending) == term.isDescending
      return IndexTerm(
        name: dialect.quoted(name), kind: column.stored.type.kind,
        isDescending: term.isDescending, nullsFirst: isSaid ? !term.isDescending : nil)
    }
  }

  /// The columns of the owner's key in a table of elements.
  func ownerTerms(_ dialect: any SQLDialect) -> [IndexTerm] {
    zip(Self.ownerNames(count: stored.key.count), keyColumns).map {
      IndexTerm(name: dialect.quoted($0), kind: $1.stored.type.kind)
    }
  }

  /// The columns of the key of a table of elements.
  func elementTerms(of column: Column, _ dialect: any SQLDialect) -> [IndexTerm] {
    let element = IndexTerm(
      name: dialect.quoted(Self.elementName), kind: Self.elementType(column.stored).kind)
    return [element] + ownerTerms(dialect)
  }

  /// The parts of an entry for columns of an index, as the statement that makes the index names them.
  func entries(
    of terms: [IndexTerm], isUnique: Bool, _ dialect: any SQLDialect
  ) -> [SQLIndex.Term] {
    // An index of fewer columns finds the same rows, and core orders them.
    let most = dialect.limits.indexColumns
    guard overflows(terms, dialect) else {
      return terms.prefix(isUnique ? .max : most).map { $0.entry($0.name) }
    }
    var entries: [SQLIndex.Term] = []
    var beginnings: [Int] = []
    for term in terms {
      guard dialect.mayOverflow(term.kind) else {
        entries.append(term.entry(term.name))
        continue
      }
      if beginnings.count < Self.mostBeginnings {
        beginnings.append(entries.count)
        let beginning = SQLQuery(dialect.shortened(SQLText(term.name), term.kind), dialect)
        entries.append(term.entry("(\(beginning.sql))"))
      } else if !isUnique {
        break
      }
    }
    guard isUnique else { return Array(entries.prefix(most)) }
    if entries.count == most, let last = beginnings.last { entries.remove(at: last) }
    let long = terms.filter { dialect.mayOverflow($0.kind) }.map { ($0.name, $0.kind) }
    guard let overflowing = dialect.overflowing else { return entries }
    return entries + [SQLIndex.Term(text: "(\(overflowing.digest(of: long)))")]
  }

  // MARK: Statements

  /// Makes the replacement of the primary key, and the indexes that find equal values.
  func overflowCreations(_ dialect: any SQLDialect) -> [String] {
    if !hasOverflowKeys { return [] }
    let key = keyTerms(dialect)
    let others = indexes.filter { elements(of: $0) == nil }.flatMap { terms(of: $0, dialect) }
    return uniqueness(of: key, in: name, dialect)
      + equalityIndexes(of: key + others, in: name, dialect)
  }

  /// Makes the same for a table of elements.
  func overflowCreations(ofElements column: Column, _ dialect: any SQLDialect) -> [String] {
    guard let elements = column.elements else { return [] }
    let terms = elementTerms(of: column, dialect)
    guard overflows(terms, dialect) else { return [] }
    return uniqueness(of: terms, in: elements, dialect)
      + equalityIndexes(of: terms, in: elements, dialect)
  }

  private func uniqueness(
    of terms: [IndexTerm], in table: String, _ dialect: any SQLDialect
  ) -> [String] {
    guard overflows(terms, dialect) else { return [] }
    let entries = entries(of: terms, isUnique: true, dialect)
    return [dialect.creation(of: SQLIndex(nil, on: table, entries, isUnique: true))]
  }

  /// Makes the indexes that find equal values of the long ones among some columns, each once.
  private func equalityIndexes(
    of terms: [IndexTerm], in table: String, _ dialect: any SQLDialect
  ) -> [String] {
    var names: [String] = []
    for term in terms where dialect.mayOverflow(term.kind) && !names.contains(term.name) {
      names.append(term.name)
    }
    return names.compactMap { dialect.overflowing?.equalityIndex(of: $0, in: table) }
  }

  /// Makes the indexes that find equal values of columns that no index of an older layout has, where both
  /// have overflow keys.
  ///
  /// - Parameter known: returns whether the older layout has an index of a column by its quoted name.
  func overflowAdditions(
    _ known: (String) -> Bool, _ dialect: any SQLDialect
  ) -> [String] {
    let terms = indexes.filter { elements(of: $0) == nil }.flatMap { self.terms(of: $0, dialect) }
    return equalityIndexes(of: terms.filter { !known($0.name) }, in: name, dialect)
  }

  /// Gives a table with plain indexes those of this layout, which has overflow keys.
  ///
  /// - Parameter plain: the same layout without overflow keys.
  func overflow(
    _ plain: SQLTable, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws {
    let isKeyLong = overflows(keyTerms(dialect), dialect)
    let changed = indexes.filter { overflows(terms(of: $0, dialect), dialect) }
    for index in changed {
      if let text = plain.removal(of: index, dialect) { try connection.execute(text) }
    }
    if isKeyLong {
      for elements in elementColumns.compactMap(\.elements) {
        try connection.execute(plain.removal(ofCleaner: elements, dialect))
        try connection.execute(
          dialect.removal(ofIndex: SQLNames.owners(ofElements: elements), on: elements))
      }
      try connection.altering.removePrimaryKey(of: name)
    }
    var creations = overflowCreations(dialect)
    for column in elementColumns {
      guard let elements = column.elements else { continue }
      if overflows(elementTerms(of: column, dialect), dialect) {
        try connection.altering.removePrimaryKey(of: elements)
      }
      creations += overflowCreations(ofElements: column, dialect)
      if isKeyLong {
        creations += [
          dialect.creation(of: owners(ofElements: elements, dialect)),
          creation(ofCleaner: elements, dialect),
        ]
      }
    }
    creations += changed.compactMap { self.creation(of: $0, dialect) }
    for text in creations { try connection.execute(text) }
  }
}
