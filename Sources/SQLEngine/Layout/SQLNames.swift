internal import ORMStorage

/// The names of tables, columns and indexes in a database whose names are the model's.
///
/// Databases fold the case of names, reserve some, and keep tables and indexes in one space; models
/// do none of that. So `$` in a name belongs to the engine alone: `%` and `$` of a model's name are
/// written `%25` and `%24`, a reserved first letter likewise. A name that differs from an earlier
/// one only in case gets a number: `snack$2$`. Names depend only on those declared earlier, so
/// additions at a schema's end change none.
package struct SQLNames {
  private var taken: [ExactText: Int] = [:]

  /// No names yet.
  package init() {}

  /// The name for one of a model's, different from every other given.
  package mutating func name(for modelName: String) -> String {
    let plain = Self.escaped(modelName)
    let folded = Self.folded(plain)
    let count = (taken[folded] ?? 0) + 1
    taken[folded] = count
    return count == 1 ? plain : "\(plain)$\(count)$"
  }

  /// The text column beside `column` that holds its folded text.
  package static func folded(column: String) -> String { column + "$folded" }
  /// The table of the elements of an array column.
  package static func elements(table: String, column: String) -> String { "\(table)$\(column)" }
  /// The index of an elements table by its owners.
  package static func owners(ofElements table: String) -> String { "$\(table)$owner" }
  /// The trigger that empties an elements table with its owners.
  package static func cleaner(ofElements table: String) -> String { "$\(table)$delete" }
  /// The triggers, or the function, that list the keys of changed rows in a table.
  package static func lister(ofKeys list: String) -> String { "$\(list)$lister" }
  /// The table that is written to replace another.
  package static func draft(of table: String) -> String { "$\(table)$new" }
  /// The name of a table, column or index until the name that it gets is free.
  package static func interim(_ name: String) -> String { "$\(name)$old" }
  /// The name of a column that was dropped and is still in its table, or of a table whose
  /// entity was dropped.
  package static func dropped(_ name: String, ordinal: Int) -> String {
    "$dropped$\(ordinal)$\(name)"
  }
  /// The beginning of the names of indexes that are being built outside of transactions.
  package static let buildingPrefix = "$building$"
  /// The index of this name while it is being built outside of transactions.
  package static func building(index: String) -> String { buildingPrefix + index }
  /// The index that is named so in the schema.
  package static func index(_ name: String) -> String { "$" + name }

  /// The column of a table that holds the checksums of its rows.
  package static let checksum = "$checksum"

  /// The table of the engine's values about the store itself.
  package static let meta = "strata_meta"

  private static let reserved = ["sqlite_", "strata_"]

  private static func escaped(_ name: String) -> String {
    var text = ""
    if name.utf8.contains(where: { $0 == 0x25 || $0 == 0x24 || $0 == 0 }) {
      for scalar in name.unicodeScalars {
        switch scalar {
        case "%": text += "%25"
        case "$": text += "%24"
        case "\0": text += "%00"
        default: text.unicodeScalars.append(scalar)
        }
      }
    } else {
      text = name
    }
    // Both reserved beginnings have one first letter.
    if let first = text.utf8.first, first | 0x20 == UInt8(ascii: "s"),
      reserved.contains(where: { folded(text).hasPrefix($0) })
    {
      text = "%" + String(first, radix: 16) + text.dropFirst()
    }
    return text
  }

  /// The case of ASCII letters folded, as databases do.
  static func folded(_ name: String) -> String {
    if !name.utf8.contains(where: { (65...90).contains($0) }) { return name }
    return String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
