internal import ORMCore

// Changes of to-manys that objects carry.
extension ObjectGraph {
  /// Notes the changes of a to-many, and adds their targets.
  func follow<End: RelationshipEnd>(
    _ steps: [LinkStep<End.Target>], of end: End, at location: LinkEnd, node: Int, entity: Int
  ) throws {
    let target = try number(of: End.Target.self)
    func take(_ element: LinkElement<End.Target>, at index: Int?, isAppended: Bool) throws {
      let number: Int
      switch element {
      case .object(let object): number = try add(object, level: nil)
      case .key(let id):
        number = add(
          key: try id.keyValues(), to: table(target),
          namedBy: LinkName(relationship: name(end.declaration.name, of: entity), referrer: node))
      }
      try link(number, to: node, at: location)
      guard let index, !isAppended || end.declaration.isOrdered else { return }
      insertions.append(
        LinkInsertion(
          end: location, relationship: end.declaration.name, owner: (entity, node),
          target: (target, number), index: index))
    }
    for step in steps {
      switch step {
      case .append(let element, let index): try take(element, at: index, isAppended: true)
      case .insert(let element, let index): try take(element, at: index, isAppended: false)
      case .remove(let id):
        unlink(add(key: try id.keyValues(), to: table(target)), from: node, at: location)
      }
    }
  }

  /// Notes that an object becomes one more target of a to-many.
  func link(_ target: Int, to owner: Int, at end: LinkEnd) throws {
    switch end {
    case .owner(let number):
      try give(target, to: owner, slot: number)
      slots[number]?.add(target, to: owner)
    case .join(let number, let isFirst):
      joins[number, default: JoinLinks()].add(pair(owner, target, isFirst: isFirst))
    case .referrer: break
    }
  }

  /// Notes that an object is taken out of a to-many.
  private func unlink(_ target: Int, from owner: Int, at end: LinkEnd) {
    switch end {
    case .owner(let number): slots[number, default: SlotLinks()].remove(target, from: owner)
    case .join(let number, let isFirst):
      joins[number, default: JoinLinks()].remove(pair(owner, target, isFirst: isFirst))
    case .referrer: break
    }
  }

  private func pair(_ owner: Int, _ target: Int, isFirst: Bool) -> JoinLinks.Pair {
    isFirst ? .init(first: owner, second: target) : .init(first: target, second: owner)
  }
}

/// A target that was given an index in an ordered to-many.
struct LinkInsertion {
  let end: LinkEnd
  let relationship: String
  /// The owner and the target: the numbers of their tables and nodes.
  let owner: (table: Int, node: Int)
  let target: (table: Int, node: Int)
  let index: Int
}
