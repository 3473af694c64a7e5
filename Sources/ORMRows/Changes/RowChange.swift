public import ORMStorage

/// One change of a row, or of a link of a row.
public struct RowChange: Hashable, Sendable {
  /// The kind of the change.
  public let kind: Kind
  /// The primary key of the row; of a link, that of the object whose relationship it is.
  public let key: [StoredValue]
  /// The attributes that changed, at level `attributes` or `values`; empty for inserts and deletes.
  ///
  /// A to-one is named by the attributes of its key, such as `team_id`.
  public let attributes: [String]
  /// The relationship of a link; nil for a row.
  public let relationship: String?
  /// The primary key of the link's target; empty for a row.
  public let target: [StoredValue]
  /// The attributes of which the rows below have values, in that order.
  package let names: [String]
  package let oldValues: [StoredValue]?
  package let newValues: [StoredValue]?

  /// The kind of a change.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// The row is new.
    case inserted
    /// The row has other values.
    case updated
    /// The row is no longer there.
    case deleted
    /// The row was hidden by a soft delete.
    case hidden
    /// The row was hidden, and is visible again.
    case restored
    /// A link was made.
    case linked
    /// A link was removed.
    case unlinked
    /// A target has another position in an ordered relationship.
    case moved
  }

  package init(
    _ kind: Kind, key: [StoredValue], attributes: [String] = [], relationship: String? = nil,
    target: [StoredValue] = [], names: [String] = [], old: [StoredValue]? = nil,
    new: [StoredValue]? = nil
  ) {
    self.kind = kind
    self.key = key
    self.attributes = attributes
    self.relationship = relationship
    self.target = target
    self.names = names
    oldValues = old
    newValues = new
  }

  /// The values by attribute before the commit, at level `values`; nil for an inserted row.
  public var old: [String: StoredValue]? { oldValues.map(byName) }

  /// The values by attribute after the commit, at level `values`; nil for a deleted row.
  public var new: [String: StoredValue]? { newValues.map(byName) }

  private func byName(_ values: [StoredValue]) -> [String: StoredValue] {
    Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
  }

  func narrowed(to level: ChangeLevel) -> RowChange {
    RowChange(
      kind, key: key, attributes: level < .attributes ? [] : attributes,
      relationship: relationship, target: target)
  }

  /// Orders changes of one entity: by key, rows before links, links by relationship and target.
  package static func isBefore(_ a: RowChange, _ b: RowChange) -> Bool {
    let order = order(a.key, b.key)
    if order != 0 { return order < 0 }
    if a.relationship != b.relationship { return (a.relationship ?? "") < (b.relationship ?? "") }
    return Self.order(a.target, b.target) < 0
  }

  /// The order of two keys: negative, zero or positive.
  package static func order(_ a: [StoredValue], _ b: [StoredValue]) -> Int {
    for (a, b) in zip(a, b) {
      let order = StoredValue.order(a, b)
      if order != 0 { return order }
    }
    return a.count - b.count
  }
}

/// A change without the names of its attributes.
struct CodedRowChange: Codable {
  let kind: RowChange.Kind
  let key: [StoredValue]
  let attributes: [String]?
  let relationship: String?
  let target: [StoredValue]?
  let old: [StoredValue]?
  let new: [StoredValue]?

  init(_ change: RowChange) {
    kind = change.kind
    key = change.key
    attributes = change.attributes.isEmpty ? nil : change.attributes
    relationship = change.relationship
    target = change.target.isEmpty ? nil : change.target
    old = change.oldValues
    new = change.newValues
  }

  func change(_ names: [String]) -> RowChange {
    RowChange(
      kind, key: key, attributes: attributes ?? [], relationship: relationship,
      target: target ?? [], names: old == nil && new == nil ? [] : names, old: old, new: new)
  }
}
