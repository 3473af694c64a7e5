internal import ORMStorage

// Delete rules are worked out for the rows of a whole hierarchy together, in terms of its root: a row
// has one key and one kind, so that the rules of other kinds find nothing.

extension StoredSchema {
  /// A link in terms of the roots on both sides.
  package func rooted(_ link: DeleteLink, seenFrom entity: StoredEntity) -> DeleteLink {
    func position(_ column: Int?, of entity: StoredEntity) -> Int? {
      column.flatMap { rooted([$0], of: entity).first }
    }
    let location: LinkLocation
    switch link.location {
    case .here(let columns, let column):
      location = .here(rooted(columns, of: entity), position: position(column, of: entity))
    case .there(let columns, let column):
      location = .there(
        rooted(columns, of: link.other), position: position(column, of: link.other))
    case .between(let join, let here, let there):
      location = .between(
        root(of: join), here: rooted(here, of: join), there: rooted(there, of: join))
    }
    return link.with(
      link.rule, location, to: root(of: link.other), isNeeded: link.isNeeded,
      kind: link.other.parent == nil ? nil : link.other)
  }
}
