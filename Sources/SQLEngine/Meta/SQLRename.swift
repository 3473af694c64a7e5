/// A new name for a table, a column or an index.
struct SQLRename: Hashable {
  var from: String
  var to: String

  init(_ from: String, _ to: String) {
    self.from = from
    self.to = to
  }

  /// Returns the renames in an order in which every new name is free when it is given.
  ///
  /// Databases fold the case of names. A rename to one of the former names goes by an interim name, so two
  /// may swap theirs.
  static func ordered(_ renames: [SQLRename]) -> [SQLRename] {
    let changed = renames.filter { $0.from != $0.to }
    let taken = Set(changed.map { SQLNames.folded($0.from) })
    var first: [SQLRename] = []
    var last: [SQLRename] = []
    for rename in changed {
      if taken.contains(SQLNames.folded(rename.to)) {
        let interim = SQLNames.interim(rename.from)
        first.append(SQLRename(rename.from, interim))
        last.append(SQLRename(interim, rename.to))
      } else {
        first.append(rename)
      }
    }
    return first + last
  }
}
