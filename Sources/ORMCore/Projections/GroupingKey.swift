public import ORMStorage

/// One key of groups, where a plain key path does not say enough: `.caseInsensitive(\.name)`.
///
/// ```swift
/// Team.all.grouped(by: .caseInsensitive(\.name)) { $0.count() }
/// Team.all.grouped(by: .key(\.city, [.caseInsensitive, .diacriticInsensitive]), .key(\.founded)) {
///   $0.count()
/// }
/// ```
///
/// Texts that are equal under the options are one group. Of its spellings the least by code points
/// stands for the group (clause 2.3), in the rows and wherever the key is named; groups come in
/// the order of the folded texts.
public struct GroupingKey<Model: Persistable, Value: AttributeValue> {
  /// The operand that rows are grouped by.
  let operand: Operand
  /// The operand that represents a group in the rows of the result.
  let shown: Operand

  /// A key by an attribute.
  ///
  /// ```swift
  /// Team.all.grouped(by: .key(\.city), .key(\.founded)) { $0.count() }
  /// ```
  public static func key(_ path: AttributePath<Model, Value>) -> GroupingKey {
    let operand = Model.operand(of: path, scope: 0)
    return GroupingKey(operand: operand, shown: operand)
  }

  /// A key that a closure computes from a row: `.key { $0.team.name }`.
  public static func key(
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) -> GroupingKey {
    let operand = body(Fields()).operand
    return GroupingKey(operand: operand, shown: operand)
  }
}

extension GroupingKey where Value: TextAttribute {
  /// A key by a text as options compare it.
  public static func key(
    _ path: AttributePath<Model, Value>, _ options: TextOptions
  ) -> GroupingKey {
    let operand = Model.operand(of: path, scope: 0)
    return GroupingKey(operand: operand.folded(options), shown: operand)
  }

  /// A key by a text that a closure works out, as options compare it.
  public static func key(
    _ options: TextOptions, _ body: (Fields<Model>) -> Field<Model, Value>
  ) -> GroupingKey {
    let operand = body(Fields()).operand
    return GroupingKey(operand: operand.folded(options), shown: operand)
  }

  /// A key by a text in upper and lower case alike.
  ///
  /// ```swift
  /// Team.all.grouped(by: .caseInsensitive(\.city)) { $0.count() }
  /// ```
  public static func caseInsensitive(_ path: AttributePath<Model, Value>) -> GroupingKey {
    key(path, .caseInsensitive)
  }

  /// A key by a text that a closure works out, in upper and lower case alike:
  /// `.caseInsensitive { $0.team.name }`.
  public static func caseInsensitive(
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) -> GroupingKey { key(.caseInsensitive, body) }
}
