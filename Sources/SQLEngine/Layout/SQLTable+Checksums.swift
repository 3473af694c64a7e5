internal import ORMStorage

/// Checksums of rows.
///
/// The checksum is a generated column that the database stores. The database computes it whenever a
/// statement writes the row, and a read returns the stored one. A row whose columns give another checksum
/// was changed by something other than a statement.
extension SQLTable {
  /// The declaration of the column; nil for a table without checksums.
  func checksumDeclaration(_ dialect: any SQLDialect) -> String? {
    guard let checksum else { return nil }
    let computed = computedChecksum(dialect, alias: nil)
    return "\(dialect.quoted(checksum)) INTEGER GENERATED ALWAYS AS (\(computed)) STORED"
  }

  /// A test that gives 1 for a row that fits its checksum and 0 for another; nil for a table without
  /// checksums.
  ///
  /// - Parameter alias: the quoted alias of the table, where the statement has one.
  func intactTest(_ dialect: any SQLDialect, alias: String? = nil) -> String? {
    guard let checksum else { return nil }
    let stored = Self.qualified(dialect.quoted(checksum), alias)
    return "\(stored) IS \(computedChecksum(dialect, alias: alias))"
  }

  /// A condition that holds for a row that fits its checksum and throws `corrupt` for another; nil
  /// for a table without checksums.
  ///
  /// Statements that write values of an old row need it: the new checksum would hide the damage.
  func intactRequirement(_ dialect: any SQLDialect, alias: String? = nil) -> String? {
    guard let test = intactTest(dialect, alias: alias) else { return nil }
    return "\(SQLFunction.intact.rawValue)(\(test), \(Self.literal(stored.modelName, dialect)))"
  }

  /// The checksum of the table's name and of the columns, dropped ones among them, in the order in which
  /// they came into the table.
  ///
  /// If these are too many for one call, calls stand in for runs of them.
  private func computedChecksum(_ dialect: any SQLDialect, alias: String?) -> String {
    var arguments = rowColumnNames.map { Self.qualified(dialect.quoted($0), alias) }
    arguments.insert(Self.literal(checksumName, dialect), at: 0)
    func call(_ arguments: some Sequence<String>) -> String {
      "\(SQLFunction.checksum.rawValue)(\(arguments.joined(separator: ", ")))"
    }
    let most = dialect.limits.arguments
    while arguments.count > most {
      arguments = stride(from: 0, to: arguments.count, by: most).map {
        call(arguments[$0..<min($0 + most, arguments.count)])
      }
    }
    return call(arguments)
  }

  /// The message of the error of a row that does not fit its checksum.
  static let damageMessage = "the row is damaged: it does not match its checksum"

  private static func qualified(_ quotedName: String, _ alias: String?) -> String {
    alias.map { "\($0).\(quotedName)" } ?? quotedName
  }

  private static func literal(_ text: String, _ dialect: any SQLDialect) -> String {
    dialect.literal(.text(text)).text
  }
}
