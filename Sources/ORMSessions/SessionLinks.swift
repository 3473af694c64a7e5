internal import ORMCore

/// The targets of a relationship, or the changes of it where they are not known.
struct SessionLinks: Equatable {
  enum Step: Equatable {
    case append(GroupKey, Int?)
    case insert(GroupKey, Int)
    case remove(GroupKey)
  }

  /// The keys of the targets; nil if they are not known.
  private(set) var keys: [GroupKey]?
  private(set) var steps: [Step] = []

  /// Makes an empty list of changes.
  init() {}

  init<End: RelationshipEnd>(_ end: End, of model: End.Model) {
    if let ids = end.ids(of: model) {
      let keys = ids.map { Self.key($0) }
      self.keys =
        end.declaration.isOrdered || keys.count < 2 ? keys : keys.sorted { Self.isBefore($0, $1) }
    } else {
      steps = (end.steps(of: model) ?? []).map { step in
        switch step {
        case .append(let element, let index): .append(Self.key(element.id), index)
        case .insert(let element, let index): .insert(Self.key(element.id), index)
        case .remove(let id): .remove(Self.key(id))
        }
      }
    }
  }

  static func key(_ id: some PrimaryKey) -> GroupKey {
    GroupKey((try? id.keyValues()) ?? [])
  }

  private static func isBefore(_ a: GroupKey, _ b: GroupKey) -> Bool {
    RowChange.order(a.values, b.values) < 0
  }
}
