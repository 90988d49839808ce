//! The pictures that operators keep and pages show. They lie in a table of their own, beside the journal. `settings/pictures.rs` says whose each is.

use super::Shell;
use crate::dice;
use crate::object::{refuse, unreadable};
use crate::orders::PictureOrder;
use crate::pictures::{NotKept, Pictures};
use brand::image::{IMAGES_AT, IMAGES_MAX};
use gate::ErrorCode;
use serde_json::json;
use settings::{Deletion, Hold, IMAGES_OF_ONE_MAX, rooms_showing};
use worker::{Response, Result};

impl Shell {
    /// Answers with the bytes of a picture, for a page that shows it.
    pub(super) fn picture(&self, name: &str) -> Result<Response> {
        match Pictures::open(&self.state)?.bytes(name)? {
            Some(bytes) => Response::from_bytes(bytes),
            None => no_such_picture(),
        }
    }

    /// Answers an operator with the bytes of a picture that is the operator's.
    pub(super) fn own_picture(&self, body: &str) -> Result<Response> {
        let Ok(order) = serde_json::from_str::<PictureOrder>(body) else {
            return unreadable();
        };
        if self.held(&order.by, &order.within, &order.image)?.is_theirs() {
            self.picture(&order.image)
        } else {
            no_such_picture()
        }
    }

    /// Answers with every picture of an operator, and those of the operator's rooms whose pages show it.
    pub(super) fn pictures(&self, body: &str) -> Result<Response> {
        let Ok(PictureOrder { by, within, .. }) = serde_json::from_str(body) else {
            return unreadable();
        };
        let mut own = Vec::new();
        for picture in Pictures::open(&self.state)?.list()? {
            let hold = self.held(&by, &within, &picture.name)?;
            if hold.is_theirs() {
                own.push(picture.shown_by(hold.own_rooms()));
            }
        }
        Response::from_json(&json!({ "images": own }))
    }

    /// Keeps a picture for an operator, who may act in some rooms only if `is_bound`.
    pub(super) fn keep_picture(&self, by: &str, is_bound: bool, bytes: &[u8]) -> Result<Response> {
        let pictures = Pictures::open(&self.state)?;
        match pictures.put(dice::now_ms(), by, is_bound, bytes)? {
            Ok(name) => {
                let address = format!("{IMAGES_AT}{name}");
                Response::from_json(&json!({ "name": name, "address": address }))
            }
            Err(NotKept::Bad(why)) => refuse(ErrorCode::BadRequest, &why.to_string()),
            Err(NotKept::Full) => {
                let most = if is_bound {
                    format!("An operator with rooms has at most {IMAGES_OF_ONE_MAX} pictures, and the house")
                } else {
                    "The house".to_owned()
                };
                let why = format!("{most} keeps {IMAGES_MAX}, and no more. Delete one that no page shows.");
                refuse(ErrorCode::RoomInUse, &why)
            }
        }
    }

    pub(super) fn drop_picture(&self, body: &str) -> Result<Response> {
        let Ok(PictureOrder { by, within, image }) = serde_json::from_str(body) else {
            return unreadable();
        };
        let pictures = Pictures::open(&self.state)?;
        if !pictures.has(&image)? {
            return no_such_picture();
        }
        match self.held(&by, &within, &image)?.deletion() {
            Deletion::Unknown => return no_such_picture(),
            Deletion::Shown(rooms) => {
                let rooms = rooms.join(", ");
                let why = format!("The pages of {rooms} show this picture. Give them another first.");
                return refuse(ErrorCode::RoomInUse, &why);
            }
            Deletion::GiveUp => pictures.take_from(&image, &by)?,
            Deletion::Forget => pictures.forget(&image)?,
        }
        Response::empty()
    }

    /// Returns whether the house keeps a picture that an operator may put on a page: one of the operator's own.
    pub(super) fn has_picture(&self, (by, within): (&str, &[String]), name: &str) -> Result<bool> {
        let is_kept = Pictures::open(&self.state)?.has(name)?;
        Ok(is_kept && self.held(by, within, name)?.is_theirs())
    }

    /// Looks at a picture as one operator has it.
    fn held<'a>(&self, by: &'a str, within: &'a [String], name: &str) -> Result<Hold<'a>> {
        let uploaders = Pictures::open(&self.state)?.uploaders(name)?;
        let (file, _) = self.file()?;
        let rooms = self.read(|living| Ok(rooms_showing(&file, living.house(), name)))?;
        Ok(Hold {
            by,
            within,
            uploaders,
            rooms,
        })
    }
}

fn no_such_picture() -> Result<Response> {
    refuse(ErrorCode::NotFound, "The house has no such picture.")
}
