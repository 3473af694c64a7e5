internal import ORMStorage

/// The positions of a row's columns in the entries of an index, or in primary keys.
struct EntryColumns: Sendable {
  /// The parts of an entry, the primary key after those of an index.
  let terms: [KeyTerm]
  /// The term of each requested column; -1 where entries do not have it.
  let termIndexes: [Int]
  /// The number of terms that have to be distinguished.
  let count: Int
  /// The offset of each of these terms and of their end, if the same in all entries; else empty.
  let starts: [Int]
  /// The entity, for errors.
  let entity: StoredEntity

  /// Finds the declared columns of an entity in an index; nil is the primary key.
  init(_ index: IndexStorage?, _ entity: EntityStorage) {
    self.init(index, entity, columns: entity.fileColumns.map { $0 })
  }

  /// Finds columns of the file.
  init(_ index: IndexStorage?, _ entity: EntityStorage, columns: [Int]) {
    let terms = index.map { $0.terms + $0.suffix.terms } ?? entity.key.terms
    let termIndexes = columns.map { column in
      terms.firstIndex { Int($0.field.column) == column && $0.form == .value } ?? -1
    }
    self.terms = terms
    self.termIndexes = termIndexes
    self.entity = entity.declared
    count = (termIndexes.max() ?? -1) + 1
    var starts = [0]
    for term in terms.prefix(count) {
      guard let width = term.width, let last = starts.last else {
        starts = []
        break
      }
      starts.append(last + width)
    }
    self.starts = starts
  }

  /// Returns whether entries have a column.
  func holds(_ column: Int) -> Bool {
    termIndexes.indices.contains(column) && termIndexes[column] >= 0
  }

  /// Returns whether entries have a column with every bit: keys have no negative zero.
  func holdsExactly(_ column: Int) -> Bool {
    guard holds(column) else { return false }
    let encoding = terms[termIndexes[column]].encoding
    return encoding != .double && encoding != .date
  }
}
