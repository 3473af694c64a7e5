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
  package func frozen() -> FetchGraph { FetchGraph(tables: tables.mapValues { $0.frozen() }) }
}

/// The objects and links of one model in a graph in the making.
package final class GraphTable<Model: PrimaryKeyed> {
  package var objects = FetchedObjects<Model>()
  private var links: [any LinkHolder<Model>] = []

  fileprivate init() {}

  /// The links of a relationship; from now on they are attached to what the graph hands out.
  package func links<End: RelationshipEnd>(of end: End) -> GraphLinks<End>
  where End.Model == Model {
    for known in links {
      if let known = known as? GraphLinks<End>, known.name == end.declaration.name { return known }
    }
    let new = GraphLinks(end)
    links.append(new)
    return new
  }
}

/// The links of one relationship in a graph in the making.
package final class GraphLinks<End: RelationshipEnd> {
  package var value: EndLinks<End>
  fileprivate let name: String

  fileprivate init(_ end: End) {
    value = EndLinks(end)
    name = end.declaration.name
  }
}

/// The part of a graph in the making that concerns one model, whichever it is.
private protocol FrozenTable {
  func frozen() -> any AnyObject & Sendable
}

extension GraphTable: FrozenTable {
  fileprivate func frozen() -> any AnyObject & Sendable {
    FetchTable(objects: objects, links: links.map { $0.frozen() })
  }
}

/// Links in the making, whatever their target.
private protocol LinkHolder<Model> {
  associatedtype Model
  func frozen() -> any FetchedLinks<Model>
}

extension GraphLinks: LinkHolder {
  fileprivate func frozen() -> any FetchedLinks<End.Model> { value }
}
