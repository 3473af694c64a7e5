/// A graph in the making: objects and links are noted, then it is frozen.
package final class GraphBuilder {
  private var tables: [ObjectIdentifier: any FrozenTable] = [:]

  package init() {}

  /// The part that concerns a model; one that was not asked for before is empty.
  package func table<Model: PrimaryKeyed>(of model: Model.Type) -> GraphTable<Model> {
    if let table = tables[ObjectIdentifier(model)] as? GraphTable<Model> { return table }
    let table = GraphTable<Model>()
    tables[ObjectIdentifier(model)] = table
    return table
  }

  /// The graph of what was noted so far.
  package func frozen() -> FetchGraph {
    FetchGraph(tables: tables.map { ($0.key, $0.value.frozen()) })
  }
}

/// The objects and links of one model in a graph in the making.
///
/// A graph is made by one thread, and nothing that works on a table calls back into it: so access to
/// its parts is not checked while the program runs.
@usableFromInline
package final class GraphTable<Model: PrimaryKeyed> {
  @exclusivity(unchecked) @usableFromInline package var objects = FetchedObjects<Model>()
  private var links: [any LinkHolder<Model>] = []

  fileprivate init() {}

  /// The links of a relationship; from now on they are attached to what the graph hands out.
  package func links<End: RelationshipEnd>(of end: End) -> GraphLinks<End.Target>
  where End.Model == Model {
    let name = end.declaration.name
    for known in links where known.name == name {
      if let known = known as? EndLinks<End> { return known.links }
    }
    let new = EndLinks(end)
    links.append(new)
    return new.links
  }
}

/// The targets' keys of each owner of one relationship, in a graph in the making.
@usableFromInline
package final class GraphLinks<Target: PrimaryKeyed> {
  /// By the owner's position; nil where they were not read.
  ///
  /// Empty where the owners hold the key themselves.
  @exclusivity(unchecked) @usableFromInline
  package var targets: [LinkTargets<Target.ID>?] = []

  fileprivate init() {}

  /// The keys of an owner's targets; nil where they were not read.
  @inlinable
  package func targets(at position: Int) -> LinkTargets<Target.ID>? {
    position < targets.count ? targets[position] : nil
  }

  /// Notes the targets of an owner.
  @inlinable
  package func note(_ noted: LinkTargets<Target.ID>, at position: Int) {
    while targets.count <= position { targets.append(nil) }
    targets[position] = noted
  }

  /// Notes further targets of an owner.
  @inlinable
  package func append(_ further: LinkTargets<Target.ID>, at position: Int) {
    guard let known = targets(at: position), !known.ids.isEmpty else {
      return note(further, at: position)
    }
    targets[position] = LinkTargets(known.ids + further.ids)
  }
}

/// The part of a graph in the making that concerns one model, whichever it is.
private protocol FrozenTable {
  func frozen() -> any AnyObject & Sendable
}

extension GraphTable: FrozenTable {
  fileprivate func frozen() -> any AnyObject & Sendable {
    FetchTable(objects: objects, links: links.map { $0.attachment() })
  }
}

/// Links in the making, whatever their target.
private protocol LinkHolder<Model> {
  associatedtype Model
  var name: String { get }
  func attachment() -> LinkAttachment<Model>
}

/// The links of one relationship, with what tells how they stand in their owners.
private struct EndLinks<End: RelationshipEnd>: LinkHolder {
  let end: End
  let links = GraphLinks<End.Target>()

  init(_ end: End) { self.end = end }

  var name: String { end.declaration.name }

  func attachment() -> LinkAttachment<End.Model> { end.attachment(of: links.targets) }
}
